// ReLU, and maxima of windows of 2 × 2, on rows of a band; and their gradients. Maxima are taken
// before the ReLU: it keeps the order of numbers, and where several are equal after it, their
// gradient is 0 whichever is meant. Local to the file that includes it, like wide_lanes.hpp.
#pragma once

#include <limits>

#include "executor/cpu/own/small_convolution.hpp"
#include "executor/cpu/own/wide_pairs.hpp"

namespace stint {
namespace {

struct Rectifier {
  Wide min, max;
  Wide of(Wide x) const { return if_at_most(x, min, min, if_at_most(max, x, max, x)); }
  // The gradient of x, where y = of(x).
  Wide gradient(Wide y, Wide dy) const {
    return if_at_most(y, min, wide(0), if_at_most(max, y, wide(0), dy));
  }
};

inline void rectify_row(const float* x, std::int64_t width, const Rectifier& rectifier, float* y) {
  for (std::int64_t i = 0; i < width; i += wide_count)
    store_wide(y + i, rectifier.of(load_wide(x + i)));
}

// dx from y and dy.
inline void rectify_row_back(const float* y, const float* dy, std::int64_t width,
                             const Rectifier& rectifier, float* dx) {
  for (std::int64_t i = 0; i < width; i += wide_count)
    store_wide(dx + i, rectifier.gradient(load_wide(y + i), load_wide(dy + i)));
}

// The greatest so far and where in the window it is. The first of equal ones counts; what is not a
// number does not, so that nothing may be left, as in oneDNN's maxima.
constexpr float no_maximum = std::numeric_limits<float>::lowest();
struct Greatest {
  Wide value = wide(no_maximum);
  Wide place = wide(0);
  void look_at(Wide other, float at) {
    place = if_greater(other, value, wide(at), place);
    value = if_greater(other, value, other, value);
  }
};

// Sixteen windows, from two rows.
template <typename Map>
Greatest greatest_of(const float* upper, const float* lower, const Map& map) {
  const Wide upper_first = load_wide(upper);
  const Wide upper_last = load_wide(upper + wide_count);
  const Wide lower_first = load_wide(lower);
  const Wide lower_last = load_wide(lower + wide_count);
  Greatest greatest;
  greatest.look_at(map(evens(upper_first, upper_last)), 0);
  greatest.look_at(map(odds(upper_first, upper_last)), 1);
  greatest.look_at(map(evens(lower_first, lower_last)), 2);
  greatest.look_at(map(odds(lower_first, lower_last)), 3);
  return greatest;
}

// Of numbers so small that the ReLU tells them from what is no number, it is computed first.
inline Greatest rectified_greatest(const float* upper, const float* lower,
                                   const Rectifier& rectifier) {
  Greatest greatest = greatest_of(upper, lower, [](Wide x) { return x; });
  if (any_at_most(greatest.value, wide(no_maximum)))
    return greatest_of(upper, lower, [&](Wide x) { return rectifier.of(x); });
  greatest.value = rectifier.of(greatest.value);
  return greatest;
}

inline void pool_row(const float* upper, const float* lower, std::int64_t width,
                     const Rectifier& rectifier, float* y, std::uint8_t* places) {
  for (std::int64_t i = 0; i < width; i += wide_count) {
    const Greatest greatest = rectified_greatest(upper + 2 * i, lower + 2 * i, rectifier);
    store_wide(y + i, greatest.value);
    float place[wide_count];
    store_wide(place, greatest.place);
    for (std::int64_t lane = 0; lane < wide_count; ++lane)
      places[i + lane] = static_cast<std::uint8_t>(static_cast<std::int32_t>(place[lane]));
  }
}

inline void pool_row_back(const float* y, const std::uint8_t* places, const float* dy,
                          std::int64_t width, const Rectifier& rectifier, float* upper,
                          float* lower) {
  for (std::int64_t i = 0; i < width; i += wide_count) {
    float lanes[wide_count];
    for (std::int64_t lane = 0; lane < wide_count; ++lane)
      lanes[lane] = static_cast<float>(static_cast<std::int32_t>(places[i + lane]));
    const Wide place = load_wide(lanes);
    const Wide maximum = load_wide(y + i);
    const Wide given = load_wide(dy + i);
    // Of what is not a number, the gradient goes on.
    const Wide gradient =
        if_equal(maximum, wide(no_maximum), given, rectifier.gradient(maximum, given));
    const auto at = [&](float k) { return if_equal(place, wide(k), gradient, wide(0)); };
    store_wide(upper + 2 * i, first_pairs(at(0), at(1)));
    store_wide(upper + 2 * i + wide_count, last_pairs(at(0), at(1)));
    store_wide(lower + 2 * i, first_pairs(at(2), at(3)));
    store_wide(lower + 2 * i + wide_count, last_pairs(at(2), at(3)));
  }
}

}  // namespace
}  // namespace stint
