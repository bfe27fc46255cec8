// Persistent schedules that may also send what they keep away to slower memories, and fetch it
// again when its backward needs it: recompute or copy, whichever costs less.
//
// Problem: chain_problem.hpp with slow memories. Recurrence: persistent_fill.hpp with the holds
// that go away; x_i that was sent away once is read again without writing it again (contexts of
// persistent_moves.hpp). Every item goes to the memory in which it is cheapest. The capacity of
// slow memories is not a dimension of the table: where a schedule does not fit, the bytes of that
// memory get a price, which is raised until the schedule fits (a Lagrangian search). So the answer
// always fits, and is the best of its kind where the first one does. Without slow memories it is
// solve_persistent's.
//
// Cost: up to four tables of twice the work each, times at most `prices` + 1.
#pragma once

#include "planner/chains/persistent.hpp"

namespace stint {

struct OffloadOptions {
  PersistentOptions table;
  int prices = 10;  // tried, where a slow memory is too small
};

struct OffloadPlan {
  bool feasible = false;
  double value = 0;
  ChainOperations operations;  // complete, with drops
};

OffloadPlan solve_offload(const ChainProblem& problem, std::int64_t fast_bytes,
                          const std::vector<SlowMemory>& slow, const OffloadOptions& options = {});

}  // namespace stint
