#include "models/training/weight_order.hpp"

#include <algorithm>
#include <charconv>

namespace stint {
namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 40;
constexpr std::size_t most_dimensions = 6;

// Takes a number above 0 off the front.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || number < 1 || number > most_elements) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::optional<std::vector<std::int64_t>> take_sizes(std::string_view& text) {
  std::vector<std::int64_t> sizes;
  do {
    if (!sizes.empty()) text.remove_prefix(1);
    const auto size = take_number(text);
    if (!size) return std::nullopt;
    sizes.push_back(*size);
  } while (text.starts_with('x'));
  if (!text.starts_with(' ') || sizes.size() > most_dimensions) return std::nullopt;
  text.remove_prefix(1);
  return sizes;
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

int dimension_of(char letter) { return is_upper(letter) ? letter - 'A' : letter - 'a'; }

std::int64_t block_of(const WeightOrder& order, int dimension) {
  std::int64_t size = 1;
  for (const auto& block : order.blocks) {
    if (block.dimension == dimension) size *= block.size;
  }
  return size;
}

std::int64_t blocks_along(const WeightOrder& order, int dimension) {
  const std::int64_t block = block_of(order, dimension);
  return (order.sizes[dimension] + block - 1) / block;
}

// Every dimension once, a capital letter exactly where there are blocks, nothing beyond counting.
bool is_sound(const WeightOrder& order, std::string_view letters) {
  std::vector<int> seen = order.outer;
  std::sort(seen.begin(), seen.end());
  if (seen.size() != order.sizes.size()) return false;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i] != static_cast<int>(i)) return false;
  }
  const bool capitals = std::all_of(letters.begin(), letters.end(), [&](char letter) {
    return is_upper(letter) == (block_of(order, dimension_of(letter)) > 1);
  });
  if (!capitals) return false;
  std::int64_t elements = 1;
  for (const int dimension : order.outer) {
    const std::int64_t stored = blocks_along(order, dimension) * block_of(order, dimension);
    if (stored > most_elements / elements) return false;
    elements *= stored;
  }
  return true;
}

}  // namespace

std::optional<WeightOrder> parse_weight_order(std::string_view text) {
  WeightOrder order;
  auto sizes = take_sizes(text);
  if (!sizes) return std::nullopt;
  order.sizes = std::move(*sizes);
  const std::size_t letters_end = std::min(text.find_first_of("0123456789"), text.size());
  const std::string_view letters = text.substr(0, letters_end);
  text.remove_prefix(letters_end);
  for (const char letter : letters) order.outer.push_back(dimension_of(letter));
  constexpr std::int64_t largest_block = 4096;
  while (!text.empty()) {
    const auto size = take_number(text);
    if (!size || *size > largest_block || text.empty()) return std::nullopt;
    const int dimension = text.front() - 'a';
    if (dimension < 0 || dimension >= std::ssize(order.sizes)) return std::nullopt;
    if (block_of(order, dimension) > largest_block) return std::nullopt;
    order.blocks.push_back({dimension, *size});
    text.remove_prefix(1);
  }
  if (!is_sound(order, letters)) return std::nullopt;
  return order;
}

std::int64_t listed_elements(const WeightOrder& order) {
  std::int64_t elements = 1;
  for (const std::int64_t size : order.sizes) elements *= size;
  return elements;
}

std::int64_t stored_elements(const WeightOrder& order) {
  std::int64_t elements = 1;
  for (const int dimension : order.outer)
    elements *= blocks_along(order, dimension) * block_of(order, dimension);
  return elements;
}

std::vector<std::int64_t> stored_positions(const WeightOrder& order) {
  std::vector<std::int64_t> positions(static_cast<std::size_t>(listed_elements(order)));
  std::vector<std::int64_t> index(order.sizes.size(), 0);
  for (std::int64_t& position : positions) {
    std::vector<std::int64_t> left = index;
    std::int64_t stride = 1;
    for (auto block = order.blocks.rbegin(); block != order.blocks.rend(); ++block) {
      position += left[block->dimension] % block->size * stride;
      left[block->dimension] /= block->size;
      stride *= block->size;
    }
    for (auto dimension = order.outer.rbegin(); dimension != order.outer.rend(); ++dimension) {
      position += left[*dimension] * stride;
      stride *= blocks_along(order, *dimension);
    }
    for (std::size_t d = index.size(); d-- > 0;) {
      if (++index[d] < order.sizes[d]) break;
      index[d] = 0;
    }
  }
  return positions;
}

}  // namespace stint
