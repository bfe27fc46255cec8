// Products of matrices small enough for the caches, without packing: what attention is made of,
// head by head. Large products are the library's.
//
// An element is one chain of fused additions over the depth in its order, however matrices are cut
// into tiles.
#pragma once

#include "executor/cpu/own/wide_lanes.hpp"

namespace stint {
namespace {

// Element (i, j) is at[i · row + j · column].
struct StridedMatrix {
  const float* at;
  std::int64_t row = 0;
  std::int64_t column = 1;
};

// Columns in tiles of 32: element (i, j) is at[j / 32 · tile + i · row + j % 32]. Rows that lie in
// memory as they are have tiles 32 apart.
constexpr std::int64_t product_tile = 2 * wide_count;
struct TiledMatrix {
  const float* at;
  std::int64_t row = 0;
  std::int64_t tile = product_tile;
};

struct ProductSizes {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t depth = 0;
};

enum class IntoResult { write, add };

// As many rows of sums, each of so many vectors, as leave registers for b and one element of a.
#ifdef __AVX512F__
constexpr int most_rows = 12;
constexpr int most_vectors = 2;
#else
constexpr int most_rows = 6;
constexpr int most_vectors = 1;
#endif

struct TileArguments {
  StridedMatrix a;
  const float* b;
  std::int64_t b_row;
  float* c;
  std::int64_t c_row;
  std::int64_t depth;
  std::int64_t last;  // columns of the last vector
  IntoResult into;
};

// The v-th of a row's vectors, of which the last may be short.
template <int vectors, bool whole>
Wide load_vector(const float* row, int v, std::int64_t last) {
  if (whole || v + 1 < vectors) return load_wide(row + v * wide_count);
  return load_wide(row + v * wide_count, last);
}
template <int vectors, bool whole>
void store_vector(float* row, int v, Wide x, std::int64_t last) {
  if (whole || v + 1 < vectors)
    store_wide(row + v * wide_count, x);
  else
    store_wide(row + v * wide_count, x, last);
}

template <int rows, int vectors, bool whole>
void multiply_tile(const TileArguments& tile) {
  Wide sums[rows][vectors];
  for (int i = 0; i < rows; ++i) {
    for (int v = 0; v < vectors; ++v) {
      sums[i][v] = tile.into == IntoResult::write
                       ? wide(0)
                       : load_vector<vectors, whole>(tile.c + i * tile.c_row, v, tile.last);
    }
  }
  const float* a = tile.a.at;
  const float* b = tile.b;
  for (std::int64_t k = 0; k < tile.depth; ++k, a += tile.a.column, b += tile.b_row) {
    Wide b_row[vectors];
    for (int v = 0; v < vectors; ++v) b_row[v] = load_vector<vectors, whole>(b, v, tile.last);
    for (int i = 0; i < rows; ++i) {
      const Wide factor = wide(a[i * tile.a.row]);
      for (int v = 0; v < vectors; ++v) sums[i][v] = fused(factor, b_row[v], sums[i][v]);
    }
  }
  for (int i = 0; i < rows; ++i) {
    for (int v = 0; v < vectors; ++v)
      store_vector<vectors, whole>(tile.c + i * tile.c_row, v, sums[i][v], tile.last);
  }
}

using TileFunction = void (*)(const TileArguments&);
template <int vectors, bool whole>
TileFunction tile_function(std::int64_t rows) {
  constexpr TileFunction functions[] = {
      multiply_tile<1, vectors, whole>,  multiply_tile<2, vectors, whole>,
      multiply_tile<3, vectors, whole>,  multiply_tile<4, vectors, whole>,
      multiply_tile<5, vectors, whole>,  multiply_tile<6, vectors, whole>,
#ifdef __AVX512F__
      multiply_tile<7, vectors, whole>,  multiply_tile<8, vectors, whole>,
      multiply_tile<9, vectors, whole>,  multiply_tile<10, vectors, whole>,
      multiply_tile<11, vectors, whole>, multiply_tile<12, vectors, whole>,
#endif
  };
  return functions[rows - 1];
}

inline TileFunction tile_function(std::int64_t rows, std::int64_t columns) {
  if (columns <= wide_count)
    return columns == wide_count ? tile_function<1, true>(rows) : tile_function<1, false>(rows);
  return columns == most_vectors * wide_count ? tile_function<most_vectors, true>(rows)
                                              : tile_function<most_vectors, false>(rows);
}

// c = a b, or c += a b. Rows of c lie in memory, `c_row` apart.
inline void multiply_matrices(const ProductSizes& sizes, const StridedMatrix& a,
                              const TiledMatrix& b, float* c, std::int64_t c_row, IntoResult into) {
  constexpr std::int64_t step = most_vectors * wide_count;
  TileArguments tile{a, b.at, b.row, c, c_row, sizes.depth, 0, into};
  for (std::int64_t column = 0; column < sizes.columns; column += step) {
    const std::int64_t columns = sizes.columns - column < step ? sizes.columns - column : step;
    tile.last = (columns - 1) % wide_count + 1;
    tile.b = b.at + column / product_tile * b.tile + column % product_tile;
    for (std::int64_t row = 0; row < sizes.rows; row += most_rows) {
      const std::int64_t rows = sizes.rows - row < most_rows ? sizes.rows - row : most_rows;
      tile.a.at = a.at + row * a.row;
      tile.c = c + row * c_row + column;
      tile_function(rows, columns)(tile);
    }
  }
}

}  // namespace
}  // namespace stint
