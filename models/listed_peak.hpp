// The most memory that a graph takes if its tasks run once each, one after another in listed order,
// and everything is kept until nobody needs it any more: what a step needs without a planner.
//
// Live bytes only: neither alignment nor fragmentation, and one memory. State and results stay; a
// tensor that has parts lives as a whole, from the first of them that is written to the last read;
// an output takes the place of an input where it may.
#pragma once

#include <cstdint>

#include "models/graph.hpp"

namespace stint {

// Cost: O(n log n) in the number of tensors, plus the lists of all tasks.
std::int64_t listed_peak_bytes(const Graph& graph);

}  // namespace stint
