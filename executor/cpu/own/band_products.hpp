// The two products of a convolution on planes of a band: outputs from inputs by a kernel that
// slides over rows, and sums of products of outputs and inputs, tap by tap. Pixels are in lanes; a
// tap reaches `offset` floats beyond the pixel that it is for.
//
// Local to the file that includes it, like wide_lanes.hpp.
#pragma once

#include "executor/cpu/own/wide_lanes.hpp"
#include "executor/cpu/own/with_constant.hpp"

namespace stint {
namespace {

// As many sums as leave registers for what they are made of.
#ifdef __AVX512F__
constexpr int most_planes = 4;
constexpr int most_columns = 2;  // vectors of a row
constexpr int most_sum_planes = 4;
constexpr int most_sum_taps = 6;
#else
constexpr int most_planes = 4;
constexpr int most_columns = 1;
constexpr int most_sum_planes = 2;
constexpr int most_sum_taps = 3;
#endif

// visit(first, count as a constant) over runs of at most so many.
template <int most, typename Visit>
void in_runs(std::int64_t count, const Visit& visit) {
  for (std::int64_t first = 0; first < count; first += most) {
    const std::int64_t left = count - first < most ? count - first : most;
    with_constant<most>(left, [&](auto constant) { visit(first, constant); });
  }
}

struct TapOffsets {
  const std::int64_t* at;
  std::int64_t count;
};

// Planes of a result that are made of the same taps: weights are [tap][plane].
struct SlidingProduct {
  const float* from;
  TapOffsets taps;
  const float* weight;
  const float* bias;
  std::int64_t planes;
  float* to;
  std::int64_t plane;  // floats from plane to plane of the result
};

template <int planes, int columns>
void slide(const SlidingProduct& p, std::int64_t first, std::int64_t at) {
  Wide sums[planes][columns];
  for (int i = 0; i < planes; ++i) {
    for (int c = 0; c < columns; ++c) sums[i][c] = wide(p.bias[first + i]);
  }
  const float* weight = p.weight + first;
  for (std::int64_t k = 0; k < p.taps.count; ++k, weight += p.planes) {
    Wide pixels[columns];
    for (int c = 0; c < columns; ++c)
      pixels[c] = load_wide(p.from + at + p.taps.at[k] + c * wide_count);
    for (int i = 0; i < planes; ++i) {
      const Wide factor = wide(weight[i]);
      for (int c = 0; c < columns; ++c) sums[i][c] = fused(factor, pixels[c], sums[i][c]);
    }
  }
  for (int i = 0; i < planes; ++i) {
    for (int c = 0; c < columns; ++c)
      store_wide(p.to + (first + i) * p.plane + at + c * wide_count, sums[i][c]);
  }
}

// One row of `vectors`, which begins at `row` of each plane.
inline void slide_row(const SlidingProduct& p, std::int64_t row, std::int64_t vectors) {
  in_runs<most_planes>(p.planes, [&](std::int64_t first, auto planes) {
    in_runs<most_columns>(vectors, [&](std::int64_t column, auto columns) {
      slide<planes.value, columns.value>(p, first, row + column * wide_count);
    });
  });
}

// Rows of two sets of planes whose products are summed, by pairs of planes (and taps).
struct SummedProducts {
  const float* left;  // its planes are `plane` apart
  const float* right;
  TapOffsets taps;  // into the right
  std::int64_t planes;
  std::int64_t plane;
  std::int64_t pitch;  // from row to row, of both
  std::int64_t rows;
  std::int64_t vectors;
  float* sums;  // lanes of [plane][tap]
};

inline void add_to_sum(float* sum, Wide more) { store_wide(sum, load_wide(sum) + more); }

template <int planes, int taps>
void sum_products(const SummedProducts& p, std::int64_t first, std::int64_t tap) {
  Wide sums[planes][taps];
  for (auto& of_plane : sums) {
    for (Wide& sum : of_plane) sum = wide(0);
  }
  for (std::int64_t row = 0; row < p.rows; ++row) {
    const float* left = p.left + first * p.plane + row * p.pitch;
    const float* right = p.right + row * p.pitch;
    for (std::int64_t v = 0; v < p.vectors; ++v, left += wide_count, right += wide_count) {
      Wide factors[planes];
      for (int i = 0; i < planes; ++i) factors[i] = load_wide(left + i * p.plane);
      for (int k = 0; k < taps; ++k) {
        const Wide pixels = load_wide(right + p.taps.at[tap + k]);
        for (int i = 0; i < planes; ++i) sums[i][k] = fused(factors[i], pixels, sums[i][k]);
      }
    }
  }
  for (int i = 0; i < planes; ++i) {
    for (int k = 0; k < taps; ++k)
      add_to_sum(p.sums + ((first + i) * p.taps.count + tap + k) * wide_count, sums[i][k]);
  }
}

inline void add_products(const SummedProducts& p) {
  in_runs<most_sum_planes>(p.planes, [&](std::int64_t first, auto planes) {
    in_runs<most_sum_taps>(p.taps.count, [&](std::int64_t tap, auto taps) {
      sum_products<planes.value, taps.value>(p, first, tap);
    });
  });
}

// Of the left planes alone: lanes of [plane].
inline void add_planes(const SummedProducts& p, float* sums) {
  for (std::int64_t i = 0; i < p.planes; ++i) {
    Wide sum = wide(0);
    for (std::int64_t row = 0; row < p.rows; ++row) {
      const float* left = p.left + i * p.plane + row * p.pitch;
      for (std::int64_t v = 0; v < p.vectors; ++v) sum = sum + load_wide(left + v * wide_count);
    }
    add_to_sum(sums + i * wide_count, sum);
  }
}

}  // namespace
}  // namespace stint
