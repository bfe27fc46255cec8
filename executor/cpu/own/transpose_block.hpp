// Eight rows of eight floats, exchanged with their columns in registers. Local to the file that
// includes it, as wide_lanes.hpp says.
#pragma once

#include <cstdint>
#include <cstring>

namespace stint {
namespace {

using EightFloats [[gnu::vector_size(32)]] = float;
constexpr std::int64_t transposed_at_once = 8;

// Pairs of rows, then pairs of pairs, then halves.
inline void transpose_block(const float* from, std::int64_t from_row, float* to,
                            std::int64_t to_row) {
  EightFloats rows[8], pairs[8], fours[8];
  for (int i = 0; i < 8; ++i) std::memcpy(&rows[i], from + i * from_row, sizeof rows[i]);
  for (int i = 0; i < 8; i += 2) {
    pairs[i] = __builtin_shufflevector(rows[i], rows[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    pairs[i + 1] = __builtin_shufflevector(rows[i], rows[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int i = 0; i < 8; i += 4) {
    for (int j = 0; j < 2; ++j) {
      const EightFloats a = pairs[i + j], b = pairs[i + j + 2];
      fours[i + 2 * j] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
      fours[i + 2 * j + 1] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int i = 0; i < 4; ++i) {
    const EightFloats a = fours[i], b = fours[i + 4];
    const EightFloats upper = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
    const EightFloats lower = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
    std::memcpy(to + i * to_row, &upper, sizeof upper);
    std::memcpy(to + (i + 4) * to_row, &lower, sizeof lower);
  }
}

}  // namespace
}  // namespace stint
