#include "executor/cpu/own/broadcast_shape.hpp"

#include <numeric>

#include "executor/cpu/own/own_kernel.hpp"

namespace stint {
namespace {

// Neighbours that are walked in one stride become one; the last is the innermost.
void append_merged(BroadcastShape& dimensions, BroadcastDimension inner) {
  if (inner.size == 1) return;
  if (!dimensions.empty() && dimensions.back().stride == inner.stride * inner.size)
    dimensions.back() = {dimensions.back().size * inner.size, inner.stride};
  else
    dimensions.push_back(inner);
}

// The dimensions of the larger tensor, as the smaller one lies in memory.
std::vector<std::size_t> innermost_first(const KernelOperand& smaller, std::size_t rank) {
  if (lies_channels_last(smaller)) return {1, 3, 2, 0};
  std::vector<std::size_t> order(rank);
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  return order;
}

}  // namespace

BroadcastShape broadcast_shape(const KernelOperand& smaller, const KernelOperand& larger) {
  const std::size_t rank = larger.shape.size();
  const std::size_t missing = rank - smaller.shape.size();
  BroadcastShape listed(rank);
  std::int64_t stride = 1;
  for (const std::size_t i : innermost_first(smaller, rank)) {
    const std::int64_t size = i < missing ? 1 : smaller.shape[i - missing];
    listed[i] = {larger.shape[i], size == 1 ? 0 : stride};
    stride *= size;
  }
  if (lies_channels_last(larger)) listed = {listed[0], listed[2], listed[3], listed[1]};
  BroadcastShape dimensions;
  for (const BroadcastDimension& dimension : listed) append_merged(dimensions, dimension);
  if (dimensions.empty()) dimensions.push_back({});
  return dimensions;
}

}  // namespace stint
