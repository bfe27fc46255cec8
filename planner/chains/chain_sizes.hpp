// The bytes of a chain of tasks in one memory: from blocks of tasks to a ChainProblem, without its
// costs. Sizes are rounded up to the memory's alignment, as every buffer is.
//
// A block's peak is counted task by task: what it makes for itself is workspace. State, inputs that
// several stages read and results of forward tasks are there throughout and taken off the memory.
// Inputs that one backward reads alone are loaded when it runs.
//
// The peaks of `problem` are never below those of its schedules. Those of `for_bounds` are never
// above what any schedule of the graph needs, whatever its shape, if `covers_all`: then what is
// proved for it holds for the graph. That takes a single task forward in every stage and one
// backward that reads all; what follows it (updates) reads only what that wrote, and may run later.
// Results need not be left where they are first made: backward tasks might run again.
#pragma once

#include <cstdint>

#include "planner/chains/chain_problem.hpp"
#include "planner/chains/recognise.hpp"
#include "planner/problem.hpp"

namespace stint {

struct ChainSizes {
  ChainProblem problem;  // costs are 0
  ChainProblem for_bounds;
  std::int64_t resident_bytes = 0;  // beside the chain, throughout
  bool covers_all = false;
};

// Nothing if the sizes are beyond all reason.
std::optional<ChainSizes> chain_sizes(const Problem& problem, const TaskChain& chain,
                                      MemoryId memory);

}  // namespace stint
