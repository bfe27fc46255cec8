// Scaled dot-product attention, head by head and some rows of queries at a time, so that scores
// never leave the nearer caches. Backward computes them again from the logarithm of their sum.
// Reference: Dao et al., FlashAttention, 2022.
//
// Local to the file that includes it, as wide_lanes.hpp says.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "executor/cpu/own/attention.hpp"
#include "executor/cpu/own/small_products.hpp"
#include "executor/cpu/own/transpose_block.hpp"
#include "models/training/effort.hpp"

namespace stint {
namespace {

static_assert(product_tile == attention_tile_keys);

// Keys in whole tiles.
inline std::int64_t in_tiles(std::int64_t keys) {
  return (keys + product_tile - 1) / product_tile * product_tile;
}

// Rows of scores, half a tile further apart than they are long: a power of two would put them into
// few sets of a cache.
inline std::int64_t score_row(const HeadSizes& sizes) { return in_tiles(sizes.keys) + wide_count; }

inline void clear(float* at, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) at[i] = 0;
}

// Rows become columns in tiles; those that a last tile lacks are zeros.
inline void transpose_rows(const float* from, std::int64_t from_row, std::int64_t columns,
                           std::int64_t rows, float* tiles) {
  for (std::int64_t row = 0; row < in_tiles(rows); row += transposed_at_once) {
    float* tile = tiles + row / product_tile * product_tile * columns + row % product_tile;
    const std::int64_t there = std::clamp(rows - row, std::int64_t{0}, transposed_at_once);
    std::int64_t column = 0;
    if (there == transposed_at_once) {
      for (; column + transposed_at_once <= columns; column += transposed_at_once)
        transpose_block(from + row * from_row + column, from_row, tile + column * product_tile,
                        product_tile);
    }
    for (; column < columns; ++column) {
      float* to = tile + column * product_tile;
      for (std::int64_t i = 0; i < there; ++i) to[i] = from[(row + i) * from_row + column];
      clear(to + there, transposed_at_once - there);
    }
  }
}

// Of what transpose_rows made.
inline TiledMatrix transposed(const float* tiles, std::int64_t columns) {
  return {tiles, product_tile, columns * product_tile};
}

inline void scale_rows(std::int64_t rows, std::int64_t width, const float* from,
                       std::int64_t from_row, float factor, float* to, std::int64_t to_row) {
  for (std::int64_t i = 0; i < rows; ++i, from += from_row, to += to_row) {
    visit_wide(
        width, [=](std::int64_t at) { store_wide(to + at, load_wide(from + at) * wide(factor)); },
        [=](std::int64_t at, std::int64_t count) {
          store_wide(to + at, load_wide(from + at, count) * wide(factor), count);
        });
  }
}

inline void clear_rows(std::int64_t rows, std::int64_t row_stride, std::int64_t width, float* at) {
  for (std::int64_t i = 0; i < rows; ++i) clear(at + i * row_stride, width);
}

// Rows of a block of queries, and the columns of scores that any of them sees, in whole tiles.
struct QueryBlock {
  std::int64_t first = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

template <typename Visit>
void visit_blocks(const HeadSizes& sizes, Visit visit) {
  for (std::int64_t first = 0; first < sizes.queries; first += attention_rows_at_once) {
    const std::int64_t rows = std::min(attention_rows_at_once, sizes.queries - first);
    visit(QueryBlock{first, rows, in_tiles(sizes.seen_by(first + rows - 1))});
  }
}

// Scaled queries of the block, side by side, and their scores.
inline void compute_scores(const HeadSizes& sizes, const QueryBlock& block, const float* q,
                           const float* keys, float* scaled, float* scores) {
  scale_rows(block.rows, sizes.width, q + block.first * sizes.query_row(), sizes.query_row(),
             sizes.scale, scaled, sizes.width);
  multiply_matrices({block.rows, block.columns, sizes.width}, {scaled, sizes.width},
                    transposed(keys, sizes.width), scores, score_row(sizes), IntoResult::write);
}

inline float largest_score(const float* row, std::int64_t count) {
  constexpr float least = -std::numeric_limits<float>::infinity();
  Wide largest = wide(least);
  visit_wide(
      count, [&](std::int64_t at) { largest = larger_of(largest, load_wide(row + at)); },
      [&](std::int64_t at, std::int64_t rest) {
        largest = larger_of(largest, first_wide(load_wide(row + at), rest, least));
      });
  return largest_of(largest);
}

// Scores of one query become weights that are to be divided by their sum, which is returned. Those
// that it does not see become zero.
inline float weigh_row(std::int64_t seen, std::int64_t columns, float largest, float* row) {
  Wide sum = wide(0);
  visit_wide(
      seen,
      [&](std::int64_t at) {
        const Wide weight = exponential(load_wide(row + at) - wide(largest));
        store_wide(row + at, weight);
        sum = sum + weight;
      },
      [&](std::int64_t at, std::int64_t rest) {
        const Wide weight = exponential(load_wide(row + at) - wide(largest));
        store_wide(row + at, first_wide(weight, rest, 0));
        sum = sum + first_wide(weight, rest, 0);
      });
  const std::int64_t written = (seen + wide_count - 1) / wide_count * wide_count;
  clear(row + written, columns - written);
  return sum_of(sum);
}

inline void attend(const HeadSizes& sizes, const Head& head, float* y, float* log_sum,
                   float* workspace) {
  float* keys = workspace;
  float* scaled = keys + sizes.width * in_tiles(sizes.keys);
  float* scores = scaled + attention_rows_at_once * sizes.width;
  const std::int64_t out_row = sizes.value_row();
  transpose_rows(head.k, sizes.query_row(), sizes.width, sizes.keys, keys);
  visit_blocks(sizes, [&](const QueryBlock& block) {
    compute_scores(sizes, block, head.q, keys, scaled, scores);
    float sums[attention_rows_at_once];
    for (std::int64_t i = 0; i < block.rows; ++i) {
      float* row = scores + i * score_row(sizes);
      const std::int64_t query = block.first + i;
      const float largest = largest_score(row, sizes.seen_by(query));
      sums[i] = weigh_row(sizes.seen_by(query), block.columns, largest, row);
      if (log_sum != nullptr) log_sum[query] = largest + std::log(sums[i]);
    }
    float* out = y + block.first * out_row;
    multiply_matrices({block.rows, sizes.out_width, std::min(block.columns, sizes.keys)},
                      {scores, score_row(sizes)}, {head.v, out_row}, out, out_row,
                      IntoResult::write);
    for (std::int64_t i = 0; i < block.rows; ++i, out += out_row)
      scale_rows(1, sizes.out_width, out, out_row, 1 / sums[i], out, out_row);
  });
}

inline float dot_product(const float* a, const float* b, std::int64_t count) {
  Wide sum = wide(0);
  visit_wide(
      count, [&](std::int64_t at) { sum = fused(load_wide(a + at), load_wide(b + at), sum); },
      [&](std::int64_t at, std::int64_t rest) {
        sum = fused(load_wide(a + at, rest), load_wide(b + at, rest), sum);
      });
  return sum_of(sum);
}

// weights = exp(score − log sum); slopes = weights (dy vᵀ − dy · y), of scaled scores.
inline void slope_row(const HeadSizes& sizes, std::int64_t query, std::int64_t columns,
                      const HeadGradients& at, float* weights, float* slopes) {
  const std::int64_t out_row = sizes.value_row();
  const Wide mean =
      wide(dot_product(at.y + query * out_row, at.dy + query * out_row, sizes.out_width));
  const Wide log = wide(at.log_sum[query]);
  const auto both = [=](std::int64_t i, auto keep) {
    const Wide weight = keep(exponential(load_wide(weights + i) - log));
    store_wide(weights + i, weight);
    store_wide(slopes + i, keep(weight * (load_wide(slopes + i) - mean)));
  };
  const std::int64_t seen = sizes.seen_by(query);
  visit_wide(
      seen, [=](std::int64_t i) { both(i, [](Wide x) { return x; }); },
      [=](std::int64_t i, std::int64_t rest) {
        both(i, [=](Wide x) { return first_wide(x, rest, 0); });
      });
  const std::int64_t written = (seen + wide_count - 1) / wide_count * wide_count;
  clear(weights + written, columns - written);
  clear(slopes + written, columns - written);
}

// What the block adds to the gradients of keys and values, and the gradients of its queries.
inline void add_gradients(const HeadSizes& sizes, const QueryBlock& block, const Head& head,
                          const HeadGradients& at, const float* scaled, const float* weights,
                          const float* slopes) {
  const std::int64_t seen = std::min(block.columns, sizes.keys);
  const std::int64_t row = sizes.query_row();
  const std::int64_t out_row = sizes.value_row();
  float* dq = at.dq + block.first * row;
  multiply_matrices({seen, sizes.out_width, block.rows}, {weights, 1, score_row(sizes)},
                    {at.dy + block.first * out_row, out_row}, at.dv, out_row, IntoResult::add);
  multiply_matrices({seen, sizes.width, block.rows}, {slopes, 1, score_row(sizes)},
                    {scaled, sizes.width}, at.dk, row, IntoResult::add);
  multiply_matrices({block.rows, sizes.width, seen}, {slopes, score_row(sizes)}, {head.k, row}, dq,
                    row, IntoResult::write);
  scale_rows(block.rows, sizes.width, dq, row, sizes.scale, dq, row);
}

inline void attend_backward(const HeadSizes& sizes, const Head& head, const HeadGradients& at,
                            float* workspace) {
  float* keys = workspace;
  float* values = keys + sizes.width * in_tiles(sizes.keys);
  float* scaled = values + sizes.out_width * in_tiles(sizes.keys);
  float* weights = scaled + attention_rows_at_once * sizes.width;
  float* slopes = weights + attention_rows_at_once * score_row(sizes);
  const std::int64_t out_row = sizes.value_row();
  transpose_rows(head.k, sizes.query_row(), sizes.width, sizes.keys, keys);
  transpose_rows(head.v, out_row, sizes.out_width, sizes.keys, values);
  clear_rows(sizes.keys, sizes.query_row(), sizes.width, at.dk);
  clear_rows(sizes.keys, out_row, sizes.out_width, at.dv);
  visit_blocks(sizes, [&](const QueryBlock& block) {
    compute_scores(sizes, block, head.q, keys, scaled, weights);
    multiply_matrices({block.rows, block.columns, sizes.out_width},
                      {at.dy + block.first * out_row, out_row}, transposed(values, sizes.out_width),
                      slopes, score_row(sizes), IntoResult::write);
    for (std::int64_t i = 0; i < block.rows; ++i)
      slope_row(sizes, block.first + i, block.columns, at, weights + i * score_row(sizes),
                slopes + i * score_row(sizes));
    add_gradients(sizes, block, head, at, scaled, weights, slopes);
  });
}

}  // namespace
}  // namespace stint
