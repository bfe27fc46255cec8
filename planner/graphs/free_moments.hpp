// Moment generation without an order: a bound for every order of the tasks.
//
// The master (moments.hpp) is solved with moments that depend on each other; tasks that may first
// run on either side of a moment run where its solution has them. That is an order of all tasks,
// and in it the solution is replayed. A replay that fits is a plan, and if the solution was the
// least, the best in any order. Where it exceeds the memory, the nearest task to which most others
// are related is the next moment: gradients of weights, which nobody waits for, say little about
// the rest. Cost: a solution of the master for every few moments.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "planner/graphs/moments.hpp"
#include "planner/graphs/sequence.hpp"

namespace stint {

struct FreeMoments {
  std::int64_t bound = 0;      // of what runs again, and is moved
  bool is_infeasible = false;  // says the solver
  bool is_rounded = false;     // the bound was proved in floating point, with a margin
  TaskSequence sequence;       // the cheapest of the replays that fit; empty: none did
};

struct FreeMomentOptions {
  std::vector<TaskId> moments;      // to begin with, the most important first; some are taken
  TaskOrder order;                  // decides where the master does not care
  std::int64_t enough = INT64_MAX;  // bound at which to stop
  // By HiGHS, not CP-SAT; by how much less than enough is proved first then: that takes much less.
  bool by_highs = false;
  std::int64_t close = 0;
  // Of a set of moments; the master's own are replaced by these.
  std::function<std::vector<SpareTime>(const std::vector<TaskId>&)> spare_times;
  CpOptions solver;
};

// `master` without moments.
FreeMoments generate_free_moments(const Problem& problem, MomentProblem master,
                                  const FreeMomentOptions& options);

// The tasks that each depend on the one before, in that order, taken as they come. O(n + e) each.
std::vector<TaskId> in_sequence(const Problem& problem, const std::vector<TaskId>& tasks);

}  // namespace stint
