// The bytes of a chain of tasks in one memory: from blocks of tasks to a ChainProblem, without its
// costs. Sizes are rounded up to the memory's alignment, as every buffer is.
//
// A block's peak is counted task by task: what it makes for itself is workspace. State, inputs that
// several stages read and results of forward tasks are there throughout and taken off the memory.
// Inputs that one backward reads alone are loaded when it runs.
//
// The peaks of the model are never below those of its schedules. Whether they are the same for
// every schedule that there can be, whatever its shape, `covers_all` says: then a bound proved for
// the model holds for the graph. It needs a single task forward in every stage, and one backward
// that reads all; what follows it (updates) must need no more. Results left by earlier stages do
// not hinder: a schedule might make them later, so `bound_problem` does without them.
#pragma once

#include <cstdint>

#include "planner/chains/chain_problem.hpp"
#include "planner/chains/recognise.hpp"
#include "planner/problem.hpp"

namespace stint {

struct ChainSizes {
  ChainProblem problem;             // costs are 0
  std::int64_t resident_bytes = 0;  // beside the chain, throughout
  bool covers_all = false;
};

// Nothing if the sizes are beyond all reason.
std::optional<ChainSizes> chain_sizes(const Problem& problem, const TaskChain& chain,
                                      MemoryId memory);

// The same chain with nothing left for the end of the step by stages other than the first.
ChainProblem bound_problem(const ChainProblem& problem);

}  // namespace stint
