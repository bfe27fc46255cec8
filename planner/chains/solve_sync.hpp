// The cheapest plan for a homogeneous chain on any hierarchy, with what is proved about it.
//
// If the levels can be ordered so that neither writes nor reads get cheaper, H-Revolve in that
// order is optimal. Else (a level cheap to write, another cheap to read) the plan comes from
// level_moves.hpp where its table is affordable, or from the best order of the levels; H-Revolve on
// a cheaper, monotone hierarchy bounds it from below; and if that leaves a gap, sync_search.hpp
// tries to close it. Deterministic: limits are counts.
#pragma once

#include <cstdint>
#include <optional>

#include "planner/chains/sync_steps.hpp"

namespace stint {

struct SolveSyncOptions {
  std::int64_t max_cells = 20'000'000;  // of a table
  std::int64_t max_states = 200'000;    // of the search; 0: none
  int max_orders = 24;                  // of the levels
};

// Absent if no level has a slot and the chain needs one.
std::optional<SyncPlan> solve_sync(const SyncProblem& problem,
                                   const SolveSyncOptions& options = {});

}  // namespace stint
