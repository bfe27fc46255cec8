#include "executor/cpu/own/small_products.hpp"

#include <algorithm>

#include "executor/cpu/own/lanes.hpp"

namespace stint {
namespace {

// As many as leave registers for b and one element of a.
constexpr std::int64_t most_rows = 6;

struct TileArguments {
  StridedMatrix a;
  const float* b;
  std::int64_t b_row;
  float* c;
  std::int64_t c_row;
  std::int64_t depth;
  std::int64_t columns;  // up to 16
  IntoResult into;
};

template <int rows, bool whole>
void multiply_tile(const TileArguments& tile) {
  const std::int64_t columns = whole ? lane_count : tile.columns;
  Lanes sums[rows];
  for (int i = 0; i < rows; ++i)
    sums[i] = tile.into == IntoResult::add ? load_lanes(tile.c + i * tile.c_row, columns) : Lanes{};
  for (std::int64_t k = 0; k < tile.depth; ++k) {
    const Lanes b = load_lanes(tile.b + k * tile.b_row, columns);
    const float* a = tile.a.at + k * tile.a.column;
    for (int i = 0; i < rows; ++i) sums[i] += a[i * tile.a.row] * b;
  }
  for (int i = 0; i < rows; ++i) store_lanes(tile.c + i * tile.c_row, sums[i], columns);
}

using TileFunction = void (*)(const TileArguments&);
template <bool whole>
constexpr TileFunction tiles[most_rows] = {multiply_tile<1, whole>, multiply_tile<2, whole>,
                                           multiply_tile<3, whole>, multiply_tile<4, whole>,
                                           multiply_tile<5, whole>, multiply_tile<6, whole>};

}  // namespace

void multiply_matrices(const ProductSizes& sizes, const StridedMatrix& a, const float* b,
                       std::int64_t b_row, float* c, std::int64_t c_row, IntoResult into) {
  TileArguments tile{a, b, b_row, c, c_row, sizes.depth, 0, into};
  for (std::int64_t column = 0; column < sizes.columns; column += lane_count) {
    tile.columns = std::min(lane_count, sizes.columns - column);
    tile.b = b + column;
    const auto* functions = tile.columns == lane_count ? tiles<true> : tiles<false>;
    for (std::int64_t row = 0; row < sizes.rows; row += most_rows) {
      tile.a.at = a.at + row * a.row;
      tile.c = c + row * c_row + column;
      functions[std::min(most_rows, sizes.rows - row) - 1](tile);
    }
  }
}

}  // namespace stint
