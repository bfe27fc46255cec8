// Which elements dropout keeps: a function of the run's seed, the layer's, the step and the
// element's logical position in the batch. So it is the same forward, backward, recomputed, and in
// any layout, cut or order of execution. Reference: Salmon et al., Parallel random numbers: as easy
// as 1, 2, 3, 2011 (Philox 2×32 with 10 rounds).
#pragma once

#include <algorithm>
#include <cstdint>

namespace stint {

struct PhiloxKey {
  std::uint32_t key = 0;
  std::uint32_t high = 0;  // mixed into the high half of the counter
};

inline std::uint64_t mixed_bits(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31);
}

inline PhiloxKey dropout_key(std::int64_t run_seed, std::int64_t layer_seed, std::int64_t step) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;
  std::uint64_t bits = 0;
  for (const std::int64_t part : {run_seed, layer_seed, step})
    bits = mixed_bits((bits ^ static_cast<std::uint64_t>(part)) + odd);
  return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
}

// Of the positions first, first + stride, …: round by round, so that all of them share one vector.
inline constexpr std::int64_t dropout_bits_at_once = 64;
inline void fill_random_bits(PhiloxKey key, std::uint64_t first, std::uint64_t stride,
                             std::uint32_t (&bits)[dropout_bits_at_once]) {
  constexpr std::uint32_t multiplier = 0xd256d193U;
  constexpr std::uint32_t weyl = 0x9e3779b9U;
  std::uint32_t high[dropout_bits_at_once];
  for (std::uint64_t i = 0; i < dropout_bits_at_once; ++i) {
    bits[i] = static_cast<std::uint32_t>(first + i * stride);
    high[i] = static_cast<std::uint32_t>((first + i * stride) >> 32) ^ key.high;
  }
  for (std::uint32_t round = 0, word = key.key; round < 10; ++round, word += weyl) {
    for (std::int64_t i = 0; i < dropout_bits_at_once; ++i) {
      const std::uint64_t product = std::uint64_t{multiplier} * bits[i];
      bits[i] = static_cast<std::uint32_t>(product >> 32) ^ word ^ high[i];
      high[i] = static_cast<std::uint32_t>(product);
    }
  }
}

inline std::uint32_t random_bits(PhiloxKey key, std::uint64_t position) {
  std::uint32_t bits[dropout_bits_at_once];
  fill_random_bits(key, position, 0, bits);
  return bits[0];
}

// An element is dropped if its bits are below this.
inline std::uint32_t dropped_below(double probability) {
  return static_cast<std::uint32_t>(std::min(probability * 0x1p32, 0x1p32 - 1));
}

}  // namespace stint
