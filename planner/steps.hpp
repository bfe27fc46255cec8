// A plan that recomputes nothing, before its buffers: every task once, on a worker, and the copies
// that bring to it what it reads, in one order that respects data.
#pragma once

#include <vector>

#include "planner/draft.hpp"
#include "planner/pieces.hpp"
#include "planner/problem.hpp"

namespace stint {

// One execution of a task, or a copy of a piece over a link.
struct Step {
  WorkerId worker = no_worker;
  TaskId task = no_task;
  PieceId piece{-1};              // of a copy
  WorkerId occupies = no_worker;  // of a copy over a blocking link
};

struct Steps {
  std::vector<Step> steps;
  std::vector<MemoryId> home;           // by piece: where an input or state is when the step begins
  std::vector<MemoryId> result_memory;  // by result: where it is kept
  std::vector<int> state;               // by device: the power state of all its actions
};

// Gives the steps their buffers: in every memory one for each piece of data that is ever there, and
// new ones for every copy of state, which may change in between.
Draft draft_of(const Problem& problem, const Pieces& pieces, const Steps& steps);

}  // namespace stint
