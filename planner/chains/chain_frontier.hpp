// The whole curve of cost against memory of a chain, from one table (persistent.hpp), for `plan
// --frontier memory`: on one worker of the first device that can run everything, without
// offloading.
//
// Each point is the least memory with which its cost can be had by a persistent schedule, in bytes
// that are live; beyond what is exact to the byte rounded up. Planning for a point gives the
// schedule, which costs as much or less where its addresses fit.
#pragma once

#include <optional>

#include "planner/problem.hpp"
#include "planner/strategy.hpp"
#include "schedules/frontier.hpp"

namespace stint {

// For least energy or time. Nothing if the graph is no chain that one device runs, or if the
// request has more to it: a deadline, or links over which something may be moved away.
std::optional<Frontier> chain_frontier(const Problem& problem, const SearchOptions& options);

}  // namespace stint
