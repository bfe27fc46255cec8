#include "executor/cpu/own/small_products.hpp"

#include <algorithm>

#include "executor/cpu/own/lanes.hpp"

namespace stint {
namespace {

// As many as leave registers for b and one element of a.
constexpr std::int64_t most_rows = 6;
static_assert(product_tile == 2 * lane_count);

struct TileArguments {
  StridedMatrix a;
  const float* b;
  std::int64_t b_row;
  float* c;
  std::int64_t c_row;
  std::int64_t depth;
  std::int64_t columns;  // up to product_tile
  IntoResult into;
};

// Two vectors of neighbours, the second from `lane_count` on.
struct LanePair {
  Lanes left{}, right{};
};

template <bool whole>
LanePair load_pair(const float* from, std::int64_t columns) {
  if (whole) return {load_lanes(from), load_lanes(from + lane_count)};
  if (columns <= lane_count) return {load_lanes(from, columns), Lanes{}};
  return {load_lanes(from), load_lanes(from + lane_count, columns - lane_count)};
}

void store_pair(float* to, const LanePair& pair, std::int64_t columns) {
  store_lanes(to, pair.left, columns);
  if (columns > lane_count) store_lanes(to + lane_count, pair.right, columns - lane_count);
}

template <int rows, bool whole>
void multiply_tile(const TileArguments& tile) {
  LanePair sums[rows];
  if (tile.into == IntoResult::add) {
    for (int i = 0; i < rows; ++i)
      sums[i] = load_pair<whole>(tile.c + i * tile.c_row, tile.columns);
  }
  for (std::int64_t k = 0; k < tile.depth; ++k) {
    const LanePair b = load_pair<whole>(tile.b + k * tile.b_row, tile.columns);
    const float* a = tile.a.at + k * tile.a.column;
    for (int i = 0; i < rows; ++i) {
      const float factor = a[i * tile.a.row];
      sums[i].left += factor * b.left;
      sums[i].right += factor * b.right;
    }
  }
  for (int i = 0; i < rows; ++i)
    store_pair(tile.c + i * tile.c_row, sums[i], whole ? product_tile : tile.columns);
}

using TileFunction = void (*)(const TileArguments&);
template <bool whole>
constexpr TileFunction tiles[most_rows] = {multiply_tile<1, whole>, multiply_tile<2, whole>,
                                           multiply_tile<3, whole>, multiply_tile<4, whole>,
                                           multiply_tile<5, whole>, multiply_tile<6, whole>};

}  // namespace

void multiply_matrices(const ProductSizes& sizes, const StridedMatrix& a, const TiledMatrix& b,
                       float* c, std::int64_t c_row, IntoResult into) {
  TileArguments tile{a, b.at, b.row, c, c_row, sizes.depth, 0, into};
  for (std::int64_t column = 0; column < sizes.columns; column += product_tile, tile.b += b.tile) {
    tile.columns = std::min(product_tile, sizes.columns - column);
    const auto* functions = tile.columns == product_tile ? tiles<true> : tiles<false>;
    for (std::int64_t row = 0; row < sizes.rows; row += most_rows) {
      tile.a.at = a.at + row * a.row;
      tile.c = c + row * c_row + column;
      functions[std::min(most_rows, sizes.rows - row) - 1](tile);
    }
  }
}

}  // namespace stint
