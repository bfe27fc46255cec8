// Whether a schedule meets the bounds of the request, asked by strategies before they answer.
#pragma once

#include "planner/problem.hpp"
#include "planner/strategy.hpp"

namespace stint {

// If it does not, the answer notes what it would take, where a single bound is in the way.
bool accept(const Problem& problem, const Schedule& schedule, Answer& answer);

// Whether the schedule, which is accepted, is the best so far and so the answer's.
bool keep_if_better(Schedule schedule, const SearchOptions& options, Answer& answer);

}  // namespace stint
