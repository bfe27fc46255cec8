// The strategy `placement`: any graph on several devices with memories of their own; where each
// task runs, in which power state and order, what is kept, computed again or moved, together, for
// least energy, time or their product.
//
// It starts from the plans of the strategies for one device, so it is never worse than those, from
// every device alone, and from the solution of a relaxation, which is also its bound
// (placement_bound.hpp); local search does the rest (placement_search.hpp). Every plan is finished
// and priced like any other. Work grows with the request's limit and the number of tasks, never
// with time.
#pragma once

#include <optional>

#include "planner/problem.hpp"
#include "planner/strategy.hpp"

namespace stint {

std::optional<Answer> placement(const Problem& problem, const SearchOptions& options);

}  // namespace stint
