// The curve of cost against memory, from a plan for every point: for graphs that are no chains, for
// several devices, links, power states and deadlines, for `plan --frontier memory`.
//
// From the arena of the plan without a bound down to the proved least, in even steps, each with its
// share of the request's limit; then the gap between the smallest arena that worked and the largest
// that did not is halved a few times. A plan for less memory is one for more as well, so that the
// curve falls or stays; what is proved for more memory holds for less.
#pragma once

#include "planner/problem.hpp"
#include "planner/strategy.hpp"
#include "schedules/frontier.hpp"

namespace stint {

// Over the memory that a bare --memory means. Empty if there is no plan without a bound on it.
Frontier memory_sweep(const Problem& problem, const SearchOptions& options);

}  // namespace stint
