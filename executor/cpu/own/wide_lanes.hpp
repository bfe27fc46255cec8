// Sixteen floats at a time, in one register of 512 bits or in two of 256: for loops that compute
// more than they move. Operation for operation the same either way, so that the bits are too:
// products that are added to something are always fused, maxima are of numbers.
//
// Everything here is local to the file that includes it, because such files are compiled for
// different processors, and a linker keeps one function of a name.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#ifdef __AVX512F__
#include <immintrin.h>
#else
#include "executor/cpu/own/lanes.hpp"
#endif

namespace stint {
namespace {

constexpr std::int64_t wide_count = 16;

#ifdef __AVX512F__

using WideInts [[gnu::vector_size(64)]] = std::int32_t;

struct Wide {
  __m512 all;
};

inline __mmask16 first_bits(std::int64_t count) {
  return static_cast<__mmask16>((1U << count) - 1U);
}

inline Wide load_wide(const float* from) { return {_mm512_loadu_ps(from)}; }
inline Wide load_wide(const float* from, std::int64_t count) {
  return {_mm512_maskz_loadu_ps(first_bits(count), from)};
}
inline void store_wide(float* to, Wide x) { _mm512_storeu_ps(to, x.all); }
inline void store_wide(float* to, Wide x, std::int64_t count) {
  _mm512_mask_storeu_ps(to, first_bits(count), x.all);
}
inline Wide wide(float value) { return {_mm512_set1_ps(value)}; }
inline Wide operator+(Wide a, Wide b) { return {a.all + b.all}; }
inline Wide operator-(Wide a, Wide b) { return {a.all - b.all}; }
inline Wide operator*(Wide a, Wide b) { return {a.all * b.all}; }
inline Wide fused(Wide a, Wide b, Wide c) { return {_mm512_fmadd_ps(a.all, b.all, c.all)}; }
inline Wide larger_of(Wide a, Wide b) { return {a.all > b.all ? a.all : b.all}; }

// Lanes from `count` on become `rest`.
inline Wide first_wide(Wide x, std::int64_t count, float rest) {
  return {_mm512_mask_mov_ps(wide(rest).all, first_bits(count), x.all)};
}

// 2ⁿ, where n are the last bits of what 1.5 · 2²³ was added to.
inline Wide power_of_two(Wide rounded) {
  const WideInts biased = std::bit_cast<WideInts>(rounded.all) - (0x4b400000 - 127);
  return {std::bit_cast<__m512>(biased << 23)};
}

#else

struct Wide {
  Lanes low, high;
};

inline Wide load_wide(const float* from) {
  return {load_lanes(from), load_lanes(from + lane_count)};
}
inline Wide load_wide(const float* from, std::int64_t count) {
  float padded[wide_count] = {};
  for (std::int64_t i = 0; i < count; ++i) padded[i] = from[i];
  return load_wide(padded);
}
inline void store_wide(float* to, Wide x) {
  store_lanes(to, x.low);
  store_lanes(to + lane_count, x.high);
}
inline void store_wide(float* to, Wide x, std::int64_t count) {
  float padded[wide_count];
  store_wide(padded, x);
  for (std::int64_t i = 0; i < count; ++i) to[i] = padded[i];
}
inline Wide wide(float value) { return {splat(value), splat(value)}; }
inline Wide operator+(Wide a, Wide b) { return {a.low + b.low, a.high + b.high}; }
inline Wide operator-(Wide a, Wide b) { return {a.low - b.low, a.high - b.high}; }
inline Wide operator*(Wide a, Wide b) { return {a.low * b.low, a.high * b.high}; }

inline Wide fused(Wide a, Wide b, Wide c) {
  return {stint::fused(a.low, b.low, c.low), stint::fused(a.high, b.high, c.high)};
}
inline Wide larger_of(Wide a, Wide b) {
  return {a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

inline Wide first_wide(Wide x, std::int64_t count, float rest) {
  constexpr IntLanes low = {0, 1, 2, 3, 4, 5, 6, 7};
  const auto limit = static_cast<std::int32_t>(count);
  const Wide others = wide(rest);
  return {low < limit ? x.low : others.low, low + 8 < limit ? x.high : others.high};
}

inline Lanes power_of_two(Lanes rounded) {
  const IntLanes biased = std::bit_cast<IntLanes>(rounded) - (0x4b400000 - 127);
  return std::bit_cast<Lanes>(biased << 23);
}
inline Wide power_of_two(Wide rounded) {
  return {power_of_two(rounded.low), power_of_two(rounded.high)};
}

#endif

// In the order of a tree.
inline float sum_of(Wide x) {
  float part[wide_count];
  store_wide(part, x);
  for (std::int64_t half = wide_count / 2; half > 0; half /= 2) {
    for (std::int64_t i = 0; i < half; ++i) part[i] += part[i + half];
  }
  return part[0];
}

inline float largest_of(Wide x) {
  float part[wide_count];
  store_wide(part, x);
  float largest = part[0];
  for (const float one : part) largest = one > largest ? one : largest;
  return largest;
}

// exp(x) = 2ⁿ exp(r), |r| ≤ ln 2 / 2, of x up to 88; at least the smallest normal number. To about
// two units in the last place.
inline Wide exponential(Wide x) {
  const Wide inside = larger_of(wide(-87.33654F), x);  // which keeps what is not a number
  const Wide rounded = fused(inside, wide(1.44269504F), wide(12582912.0F));
  const Wide n = rounded - wide(12582912.0F);
  const Wide r = fused(n, wide(2.12194440e-4F), fused(n, wide(-0.693359375F), inside));
  Wide tail = wide(0.00139517173F);
  for (const float coefficient : {0.00836959841F, 0.0416661873F, 0.166665129F, 0.50000001F})
    tail = fused(tail, r, wide(coefficient));
  const Wide mantissa = fused(r * r, tail, r) + wide(1.0F);
  return mantissa * power_of_two(rounded);
}

// visit(i, count) over runs of up to sixteen.
template <typename Whole, typename Rest>
void visit_wide(std::int64_t count, Whole whole, Rest rest) {
  std::int64_t i = 0;
  for (; i + wide_count <= count; i += wide_count) whole(i);
  if (i < count) rest(i, count - i);
}

}  // namespace
}  // namespace stint
