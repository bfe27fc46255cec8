// The strategy `graph`: any graph on one worker of one device, with the best choice between keeping
// and computing again that moment generation finds (graph_solver.hpp); for least energy, time or
// their product.
//
// The bound is the master's without an order of its own (moments.hpp), so it holds for every plan,
// also with several workers. Where addresses take more than what is live, it is solved again with
// fewer bytes in the stretches where they do (address_cuts.hpp), then with less memory as a whole;
// the bound knows of neither.
#pragma once

#include <optional>

#include "planner/problem.hpp"
#include "planner/strategy.hpp"

namespace stint {

std::optional<Answer> graph(const Problem& problem, const SearchOptions& options);

}  // namespace stint
