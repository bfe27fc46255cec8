// Choices between lanes, and lanes side by side put into two vectors and back: what pooling by
// twos is made of. Local to the file that includes it, like wide_lanes.hpp.
#pragma once

#include "executor/cpu/own/wide_lanes.hpp"

namespace stint {
namespace {

#ifdef __AVX512F__

// Where a > b, a <= b, a == b: x, else y.
inline Wide if_greater(Wide a, Wide b, Wide x, Wide y) { return {a.all > b.all ? x.all : y.all}; }
inline Wide if_at_most(Wide a, Wide b, Wide x, Wide y) { return {a.all <= b.all ? x.all : y.all}; }
inline Wide if_equal(Wide a, Wide b, Wide x, Wide y) { return {a.all == b.all ? x.all : y.all}; }

inline bool any_at_most(Wide a, Wide b) {
  return _mm512_cmp_ps_mask(a.all, b.all, _CMP_LE_OQ) != 0;
}

template <int... lanes>
Wide chosen_lanes(Wide a, Wide b) {
  return {__builtin_shufflevector(a.all, b.all, lanes...)};
}

// Of 32 lanes side by side.
inline Wide evens(Wide a, Wide b) {
  return chosen_lanes<0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30>(a, b);
}
inline Wide odds(Wide a, Wide b) {
  return chosen_lanes<1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31>(a, b);
}
inline Wide first_pairs(Wide even, Wide odd) {
  return chosen_lanes<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(even, odd);
}
inline Wide last_pairs(Wide even, Wide odd) {
  return chosen_lanes<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(even, odd);
}

#else

inline Wide if_greater(Wide a, Wide b, Wide x, Wide y) {
  return {a.low > b.low ? x.low : y.low, a.high > b.high ? x.high : y.high};
}
inline Wide if_at_most(Wide a, Wide b, Wide x, Wide y) {
  return {a.low <= b.low ? x.low : y.low, a.high <= b.high ? x.high : y.high};
}
inline Wide if_equal(Wide a, Wide b, Wide x, Wide y) {
  return {a.low == b.low ? x.low : y.low, a.high == b.high ? x.high : y.high};
}

inline bool any_at_most(Wide a, Wide b) {
  const IntLanes found = (a.low <= b.low) | (a.high <= b.high);
  std::int32_t any = 0;
  for (std::int64_t i = 0; i < lane_count; ++i) any |= found[i];
  return any != 0;
}

template <int... lanes>
Lanes chosen_lanes(Lanes a, Lanes b) {
  return __builtin_shufflevector(a, b, lanes...);
}

inline Wide evens(Wide a, Wide b) {
  return {chosen_lanes<0, 2, 4, 6, 8, 10, 12, 14>(a.low, a.high),
          chosen_lanes<0, 2, 4, 6, 8, 10, 12, 14>(b.low, b.high)};
}
inline Wide odds(Wide a, Wide b) {
  return {chosen_lanes<1, 3, 5, 7, 9, 11, 13, 15>(a.low, a.high),
          chosen_lanes<1, 3, 5, 7, 9, 11, 13, 15>(b.low, b.high)};
}
inline Wide pairs_of(Lanes even, Lanes odd) {
  return {chosen_lanes<0, 8, 1, 9, 2, 10, 3, 11>(even, odd),
          chosen_lanes<4, 12, 5, 13, 6, 14, 7, 15>(even, odd)};
}
inline Wide first_pairs(Wide even, Wide odd) { return pairs_of(even.low, odd.low); }
inline Wide last_pairs(Wide even, Wide odd) { return pairs_of(even.high, odd.high); }

#endif

}  // namespace
}  // namespace stint
