// Eight floats at a time, the same way everywhere: what comes out does not depend on how wide the
// processor's registers are, or on how many elements are left at the end. (Compilers take vectors
// that are wider than registers apart, element by element where they are compared.)
//
// Meant to be inlined into the loops of this folder, whose flags decide the instructions.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#ifdef __FMA__
#include <immintrin.h>
#endif

namespace stint {

inline constexpr std::int64_t lane_count = 8;
using Lanes [[gnu::vector_size(32)]] = float;
using IntLanes [[gnu::vector_size(32)]] = std::int32_t;

inline Lanes splat(float value) { return Lanes{} + value; }

// All lanes, or the first `count` of them and zeros.
inline Lanes load_lanes(const float* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}
inline Lanes load_lanes(const float* from, std::int64_t count) {
  if (count >= lane_count) return load_lanes(from);
  float padded[lane_count] = {};
  for (std::int64_t i = 0; i < count; ++i) padded[i] = from[i];
  return load_lanes(padded);
}

inline void store_lanes(float* to, Lanes lanes) { std::memcpy(to, &lanes, sizeof lanes); }
inline void store_lanes(float* to, Lanes lanes, std::int64_t count) {
  if (count >= lane_count) return store_lanes(to, lanes);
  float padded[lane_count];
  store_lanes(padded, lanes);
  for (std::int64_t i = 0; i < count; ++i) to[i] = padded[i];
}

// Lanes beyond `count` become zero.
inline Lanes first_lanes(Lanes lanes, std::int64_t count) {
  constexpr IntLanes number = {0, 1, 2, 3, 4, 5, 6, 7};
  return number < static_cast<std::int32_t>(count) ? lanes : Lanes{};
}

// In the order of a tree.
inline float sum_of(Lanes lanes) {
  float part[lane_count];
  store_lanes(part, lanes);
  for (std::int64_t half = lane_count / 2; half > 0; half /= 2) {
    for (std::int64_t i = 0; i < half; ++i) part[i] += part[i + half];
  }
  return part[0];
}

// a b + c, rounded once. Asked for by name: whether a compiler fuses depends on where it inlines.
inline Lanes fused(Lanes a, Lanes b, Lanes c) {
#ifdef __FMA__
  return _mm256_fmadd_ps(a, b, c);
#else
  for (std::int64_t i = 0; i < lane_count; ++i) c[i] = __builtin_fmaf(a[i], b[i], c[i]);
  return c;
#endif
}

inline Lanes square_root(Lanes lanes) {
  for (std::int64_t i = 0; i < lane_count; ++i) lanes[i] = __builtin_sqrtf(lanes[i]);
  return lanes;
}

// A maximum that is not a number stays so.
inline Lanes larger_of(Lanes a, Lanes b) { return (a > b) | (a != a) ? a : b; }
inline float larger_of(float a, float b) { return a > b || a != a ? a : b; }
inline float largest_of(const float* x, std::int64_t count) {
  float largest = x[0];
  std::int64_t i = 0;
  if (count >= lane_count) {
    Lanes lanes = load_lanes(x);
    for (i = lane_count; i + lane_count <= count; i += lane_count)
      lanes = larger_of(load_lanes(x + i), lanes);
    for (std::int64_t lane = 0; lane < lane_count; ++lane)
      largest = larger_of(lanes[lane], largest);
  }
  for (; i < count; ++i) largest = larger_of(x[i], largest);
  return largest;
}

// y[i] = map(load), where load(x) are the lanes of x at i.
template <typename Map>
void map_elements(std::int64_t count, float* y, Map map) {
  std::int64_t i = 0;
  for (; i + lane_count <= count; i += lane_count)
    store_lanes(y + i, map([i](const float* x) { return load_lanes(x + i); }));
  if (i == count) return;
  store_lanes(y + i, map([=](const float* x) { return load_lanes(x + i, count - i); }), count - i);
}

// map(begin, length) over stretches that stay in the nearest cache while several loops pass over
// them.
template <typename Map>
void map_stretches(std::int64_t count, Map map) {
  constexpr std::int64_t stretch = 1024;
  for (std::int64_t begin = 0; begin < count; begin += stretch)
    map(begin, begin + stretch < count ? stretch : count - begin);
}

// Sums of K terms over a run of elements: terms(load) gives lanes of each. Lanes are added up over
// short stretches, stretches in double precision.
template <std::size_t K, typename Terms>
std::array<double, K> sum_elements(std::int64_t count, Terms terms) {
  constexpr std::int64_t stretch = 128 * lane_count;
  std::array<double, K> sums{};
  for (std::int64_t begin = 0; begin < count; begin += stretch) {
    const std::int64_t end = begin + stretch < count ? begin + stretch : count;
    std::array<Lanes, K> partial{};
    std::int64_t i = begin;
    for (; i + lane_count <= end; i += lane_count) {
      const auto more = terms([i](const float* x) { return load_lanes(x + i); });
      for (std::size_t k = 0; k < K; ++k) partial[k] += more[k];
    }
    if (i < end) {
      const auto more = terms([=](const float* x) { return load_lanes(x + i, end - i); });
      for (std::size_t k = 0; k < K; ++k) partial[k] += first_lanes(more[k], end - i);
    }
    for (std::size_t k = 0; k < K; ++k) sums[k] += static_cast<double>(sum_of(partial[k]));
  }
  return sums;
}

}  // namespace stint
