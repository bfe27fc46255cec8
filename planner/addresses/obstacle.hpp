// Why items do not fit although their load does: a set of them, and the time in which they live
// together, that cannot be packed even alone.
//
// Irreducible where the search could prove it: without any one of its items the rest fits. Found by
// narrowing the time from both sides, then by leaving out one item after the other; so it costs a
// search for each, and hopeless ones are cut off at the limit. It is not the smallest there is.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/addresses/fit.hpp"

namespace stint {

struct Obstacle {
  std::vector<int> items;  // ascending
  int begin = 0;           // of the time, half-open
  int end = 0;
};

// Nothing unless it is proved that the items do not fit. Too high a load is an obstacle too.
std::optional<Obstacle> find_obstacle(const std::vector<Item>& items, std::int64_t capacity_bytes,
                                      const FitOptions& options);

}  // namespace stint
