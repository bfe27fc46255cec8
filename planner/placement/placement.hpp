// The strategy `placement`: any graph on several devices with memories of their own; where each
// task runs, in which power state and order, what is kept, computed again or moved, together, for
// least energy, time or their product.
//
// It starts from the plans of the strategies for one device, so it is never worse than those, from
// lists by energy (energy_list.hpp), every device alone, and from the solutions of relaxations,
// which are also its bounds (cut_bound.hpp, and on smaller graphs placement_bound.hpp); local
// search does the rest (placement_search.hpp, placement_window.hpp). Every plan is finished and
// priced like any other. Work grows with the request's limit and the number of tasks, never with
// time.
#pragma once

#include <optional>

#include "planner/problem.hpp"
#include "planner/strategy.hpp"

namespace stint {

// There are several devices to choose among, and it matters.
bool is_for_placement(const Problem& problem);

std::optional<Answer> placement(const Problem& problem, const SearchOptions& options);

}  // namespace stint
