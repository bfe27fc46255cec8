// How the elements of a weight lie in memory where a kernel wants them otherwise than row by row:
// dimensions in another order, some of them in blocks, the last block filled up with zeros.
//
// The text says it all: "64x64x3x3 ABcd16b16a" is a weight of 64×64×3×3 whose blocks of 16 × 16 of
// the first two dimensions lie together, row by row of the second, capital letters for what is
// left of a dimension in blocks. The empty text is the listed order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stint {

struct WeightOrder {
  struct Block {
    int dimension = 0;
    std::int64_t size = 1;
  };
  std::vector<std::int64_t> sizes;  // as listed
  std::vector<int> outer;           // dimensions, from that which changes slowest
  std::vector<Block> blocks;        // likewise, within
};

// Nothing if the text is no order.
std::optional<WeightOrder> parse_weight_order(std::string_view text);

std::int64_t listed_elements(const WeightOrder& order);
// With the zeros that fill up blocks.
std::int64_t stored_elements(const WeightOrder& order);

// By position as listed: where the element is stored.
std::vector<std::int64_t> stored_positions(const WeightOrder& order);

}  // namespace stint
