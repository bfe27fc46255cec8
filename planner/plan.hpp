// The frame: a portfolio of strategies over one problem. Lower bounds come from functions apart;
// the simulator prices every schedule, the judge accepts it, the best wins, ties go to the strategy
// listed first.
#pragma once

#include "planner/outcome.hpp"
#include "planner/problem.hpp"
#include "planner/strategy.hpp"

namespace stint {

// Throws InputError if the request names a strategy that there is not, and std::logic_error if a
// strategy returns a schedule that the judge rejects.
Outcome plan(const Problem& problem, const SearchOptions& options);

}  // namespace stint
