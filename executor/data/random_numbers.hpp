// Random numbers by position: the number at an index follows from a key and the index alone, so
// that any part of a tensor can be made by itself. No library functions, so the same bits
// everywhere.
#pragma once

#include "executor/byte_streams.hpp"

namespace stint {

inline std::uint64_t random_word(std::uint64_t key, std::int64_t index) {
  return mix(key + static_cast<std::uint64_t>(index) * 0x9e3779b97f4a7c15U);
}

// In [0, 1).
inline double uniform_at(std::uint64_t key, std::int64_t index) {
  return static_cast<double>(random_word(key, index) >> 11U) * 0x1p-53;
}

// Of mean 0 and variance 1, near to normal: the sum of four uniform numbers.
inline double normal_at(std::uint64_t key, std::int64_t index) {
  const std::uint64_t word = random_word(key, index);
  const std::uint64_t sum =
      (word & 0xffffU) + ((word >> 16U) & 0xffffU) + ((word >> 32U) & 0xffffU) + (word >> 48U);
  constexpr double mean = 2 * 65535.0;
  constexpr double deviation = 37837.2271;  // √(4 (65536² − 1) / 12)
  return (static_cast<double>(sum) - mean) / deviation;
}

}  // namespace stint
