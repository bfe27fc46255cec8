// A start that fits, made of one that does not: what a crowded memory holds leaves it after every
// use, unless the next task there uses it, and comes back when it is needed; tasks that are too
// large even then run elsewhere.
//
// Where another device takes many times as long for a task, the few plans in which that task has
// nearly all of a memory to itself are the best by far, and moves of single items from plans that
// are far from that seldom lead there. What is sent needlessly, the search takes back. At most a
// replay for each task.
#pragma once

#include <optional>

#include "planner/placement/placement_search.hpp"

namespace stint {

// Nothing if it does not fit so either.
std::optional<PlacementTrial> emptied(const PlacedGraph& graph, PlacedReplay& replay,
                                      const PlacementChoice& start, const PlacementAim& aim);

}  // namespace stint
