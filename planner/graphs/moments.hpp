// The master problem of moment generation: what is kept and what is computed again, where memory is
// counted only at a few moments, those at which given tasks first run. Solved by CP-SAT, bounds also
// by HiGHS.
//
// Moments cut the step into intervals. For every interval: which tasks run in it (again); for every
// moment: which items are there. What a task reads was there when its interval began or is written
// in it; what is there at a moment was there at the moment before or is written between. Every
// schedule can be told in these terms, so the least cost is a bound for all of them; the more
// moments, the better, and with a moment for every task it is the optimum but for what happens
// inside an interval. (Checkmate's variables at K moments instead of all n; Jain et al. 2020.)
//
// Two readings. In a given order of first runs every task has its interval; then the solution
// guides a plan in that order. Without an order, where moments are tasks that depend on each other,
// tasks before and after a moment are those that it depends on and that depend on it, and all
// others may first run on either side: then the bound holds for every order. Several workers change
// nothing, since an interval is where a run starts. 2 K n booleans.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "planner/graphs/device_graph.hpp"
#include "planner/graphs/first_runs.hpp"
#include "planner/order.hpp"
#include "planner/solver/cp_sat.hpp"

namespace stint {

// What it costs to move an item away and back, where that is possible at all, and what it takes of
// the time of the links.
struct MovePrice {
  std::int64_t out = 0;
  std::int64_t back = 0;
  std::int64_t out_time = 0;
  std::int64_t back_time = 0;
};

// State that may live elsewhere: then it comes in every interval in which it is used and was not
// there when that began, and goes out if a task updates it. What costs nothing to move is just
// there or not.
struct MovedState {
  std::int64_t bytes = 0;
  MovePrice price;
  std::vector<TaskId> users;  // ascending
  TaskId updater = no_task;   // the last

  bool is_used_by(TaskId task) const {
    return std::binary_search(users.begin(), users.end(), task);
  }
};

// Copies over a link take turns, so a step with more of them than fit into its least time is
// longer, or with more of them than fit behind what they have to wait for, or before what waits for
// them. All at the price of a longer step.
struct LinkTime {
  bool is_one_channel = false;      // both ways
  std::int64_t price = 0;           // of the least time
  std::vector<std::int64_t> begin;  // by task: of the time before it first begins, at least
  std::vector<std::int64_t> end;    // likewise, before it first ends
  std::vector<std::int64_t> rest;   // likewise, from where it begins to the end of the step
};

// The step is longer than its least time, at a price, if what runs again from an interval on takes
// more of the workers' time than they have to spare.
struct SpareTime {
  int since = 0;           // interval
  std::int64_t price = 0;  // of the time to spare
};

// Memory is also counted while the task runs in one of these intervals, beside what stays from one
// of its ends to the other: for what runs again, or whose interval nobody knows. And beside what
// those have from before the interval that wait for the run: of `readers` the first reads what the
// task writes, every other what the one before it writes, all in the same interval.
struct CountedRun {
  TaskId task = no_task;
  int first = 0;
  int last = 0;
  std::vector<TaskId> readers;
};

struct MomentProblem {
  const DeviceGraph* graph = nullptr;
  std::vector<std::int64_t> costs;  // by task
  std::vector<TaskId> moments;
  FirstRuns first;
  std::vector<CountedRun> counted;
  std::int64_t capacity_bytes = 0;
  std::vector<std::int64_t> reserved_bytes;  // by moment: not to be had there; empty: none
  std::int64_t most_cost = INT64_MAX / 2;    // of what runs again: a plan that costs this is known
  std::vector<MovePrice> moves;              // by item; empty: nothing leaves the memory
  std::vector<MovedState> states;            // all of it in `capacity_bytes` then
  std::optional<LinkTime> link_time;         // with spare times only
  std::vector<std::int64_t> time_costs;      // by task: its share of a longer step
  std::vector<SpareTime> spare_times;        // empty: time costs nothing beside `costs`
  // For a bound on everything that plans may do: whatever our own plans restrict themselves to is
  // relaxed.
  bool is_bound = false;
  // Of a bound: small items, and those that only updates of state read, are taken as always there.
  // Quicker to solve, and hardly a worse bound.
  bool is_rough = false;
  // Solved by HiGHS where it can be, for the bound that CP-SAT does not come to in the same time.
  bool by_highs = false;
};

struct MomentSolution {
  CpStatus status = CpStatus::unknown;
  std::int64_t bound = 0;                // of what runs again, and is moved
  bool is_rounded = false;               // the bound is of floating point, with a margin
  std::int64_t value = 0;                // of the solution
  double work = 0;                       // of the solver
  std::vector<std::vector<char>> there;  // [moment][item]: still to be used after it
  std::vector<int> first;                // by task: the interval of its first run
  std::vector<int> last;                 // the same of its last
};

MomentSolution solve_moments(const MomentProblem& problem, const CpOptions& options,
                             std::int64_t known_bound);

}  // namespace stint
