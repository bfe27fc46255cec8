#include <functional>
#include <numeric>

#include "executor/cpu/own/own_kernel.hpp"

namespace stint {
namespace {

std::int64_t product_of(std::span<const std::int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace

bool lies_channels_last(const KernelOperand& operand) {
  const auto& shape = operand.shape;
  return operand.channels_last && shape.size() == 4 && shape[1] > 1 && shape[2] * shape[3] > 1;
}

ChannelView view_around(const KernelOperand& operand, std::int64_t axis) {
  const std::span<const std::int64_t> shape = operand.shape;
  const std::size_t at = axis < 0 ? shape.size() + axis : static_cast<std::size_t>(axis);
  if (!lies_channels_last(operand))
    return {product_of(shape.first(at)), shape[at], product_of(shape.subspan(at + 1))};
  constexpr std::size_t lying[] = {0, 3, 1, 2};  // where each dimension is in memory
  const std::int64_t in_memory[] = {shape[0], shape[2], shape[3], shape[1]};
  const std::span<const std::int64_t> sizes = in_memory;
  const std::size_t place = lying[at];
  return {product_of(sizes.first(place)), sizes[place], product_of(sizes.subspan(place + 1))};
}

}  // namespace stint
