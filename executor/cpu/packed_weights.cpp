#include "executor/cpu/packed_weights.hpp"

#include <cstring>

#include "models/training/weight_order.hpp"

namespace stint {
namespace {

constexpr std::size_t element_bytes = sizeof(float);

std::vector<std::byte> as_it_is(std::span<const std::byte> bytes) {
  return {bytes.begin(), bytes.end()};
}

}  // namespace

std::vector<std::byte> in_stored_order(const std::string& text, std::span<const std::byte> listed) {
  const auto order = parse_weight_order(text);
  if (!order) return as_it_is(listed);
  const auto positions = stored_positions(*order);
  std::vector<std::byte> stored(static_cast<std::size_t>(stored_elements(*order)) * element_bytes);
  for (std::size_t i = 0; i < positions.size(); ++i)
    std::memcpy(&stored[positions[i] * element_bytes], &listed[i * element_bytes], element_bytes);
  return stored;
}

std::vector<std::byte> in_listed_order(const std::string& text, std::span<const std::byte> stored) {
  const auto order = parse_weight_order(text);
  if (!order) return as_it_is(stored);
  const auto positions = stored_positions(*order);
  std::vector<std::byte> listed(positions.size() * element_bytes);
  for (std::size_t i = 0; i < positions.size(); ++i)
    std::memcpy(&listed[i * element_bytes], &stored[positions[i] * element_bytes], element_bytes);
  return listed;
}

}  // namespace stint
