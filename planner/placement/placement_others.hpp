// What the other strategies make of a problem for several devices, on one device or by list
// scheduling: where placement begins, so that it is never worse.
//
// Where a memory is short most depends on what graph finds, so it gets more of the limit; and it is
// asked for a plan within a nearer deadline too, which may cost less than one that had more time.
#pragma once

#include <vector>

#include "planner/placement/placed_graph.hpp"
#include "planner/strategy.hpp"

namespace stint {

// Answers to the problem itself: what only holds within the nearer deadline is left out.
std::vector<Answer> answers_of_others(const PlacedGraph& graph, const SearchOptions& options);

}  // namespace stint
