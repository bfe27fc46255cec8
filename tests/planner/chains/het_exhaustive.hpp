// The optimum of a small heterogeneous chain by Dijkstra's algorithm over every state that can be
// reached, dropping one thing at a time, without a bound or any other idea.
#pragma once

#include <optional>
#include <vector>

#include "planner/chains/chain_problem.hpp"

namespace stint {

std::optional<double> exhaustive_cost(const ChainProblem& problem, std::int64_t fast_bytes,
                                      const std::vector<SlowMemory>& slow);

}  // namespace stint
