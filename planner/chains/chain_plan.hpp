// From the operations of a chain solver to a draft: blocks become executions of their tasks on one
// worker, copies go over links, and every execution writes buffers of its own.
//
// An output that an execution must write but nobody reads lives while it runs; an optional one is
// left out. Executions whose outputs are not read are left out too, but for the first of every
// task: a block that is recomputed for its output does not run what only its tape needs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/chains/chain_costs.hpp"
#include "planner/chains/chain_problem.hpp"
#include "planner/chains/recognise.hpp"
#include "planner/draft.hpp"

namespace stint {

// Who runs a chain, and where.
struct ChainCrew {
  WorkerId worker = no_worker;
  MemoryId memory = no_memory;
  std::vector<SlowPlace> slow;  // slow memory k of the operations is slow[k - 1]
  std::vector<int> states;      // by task
};

// How copies and computing go together. Sequentially, as the solver counts: each waits for the
// other. Or side by side: computing does not wait for copies that leave, and copies come back
// `ahead` computations before they are needed at the earliest.
struct CopyOverlap {
  bool side_by_side = false;
  int ahead = 0;
};

Draft chain_draft(const Problem& problem, const TaskChain& chain, const ChainCrew& crew,
                  const ChainOperations& operations, const CopyOverlap& overlap = {});

// Leaves out what nobody needs.
Draft without_needless(const Problem& problem, Draft draft);

}  // namespace stint
