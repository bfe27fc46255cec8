// The optimum by Dijkstra's algorithm over every state of the model: no recurrence, no structure,
// no estimate. For chains of a few steps.
#pragma once

#include "planner/chains/mixed.hpp"
#include "planner/chains/sync_steps.hpp"

namespace stint {

// Infinite if there is no plan. Lengths up to 14, at most three levels, whole costs or halves.
double exhaustive_sync_cost(const SyncProblem& problem);

// -1 if there is no plan. Up to 12 steps.
int exhaustive_mixed_forwards(const MixedProblem& problem);

}  // namespace stint
