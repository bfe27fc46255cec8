// Everything that can happen on one device, in time: a model for CP-SAT of our plans, or of all
// that plans may do.
//
// Runs of tasks are intervals that share workers; copies are intervals on their links. Every run
// writes instances of items, which lie in memory from there to the end of the last that reads them,
// and memory is a resource that they share (a project with limited resources, Pritsker, Watters,
// Wolfe 1969, in which what is held is decided too). A task has a first run and some more, which
// may happen or not, and a tensor may go away and come back; who reads an item chooses an instance.
// Of two instances of one item at once the later is needless, so they follow each other.
//
// As a bound it permits all else that plans may do, at a price that none undercuts: more runs and
// copies than have a place in time, parts that go away by themselves, parts of one item from
// different runs, state that lives elsewhere or has two buffers (timed_permits.cpp). The answer
// tells which runs and copies were missing: with a place in time for those the bound is better.
//
// Cost: about a variable for each reader and instance; the solver's work is counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <vector>

#include "planner/timed/timed_prices.hpp"

namespace stint {

struct TimedRun {
  TaskId task = no_task;  // of the graph: a copy too
  int state = 0;
  std::int64_t begin = 0;  // units of time
  std::int64_t end = 0;
};

// How many runs of a task, and returns of a tensor, have a place in time, where it is not the usual
// number.
inline constexpr int usual_runs = 2;
inline constexpr int usual_comes = 1;
struct TimedPlaces {
  std::map<TaskId, int> runs;
  std::map<TensorId, int> comes;
};

struct TimedOptions {
  bool is_bound = true;          // else only what our plans do
  bool moves = true;             // of our plans
  bool reruns = true;            // likewise
  std::int64_t least_bytes = 1;  // of a bound: smaller items and states count for nothing
  TimedPlaces places;
  std::int64_t most_cost = 0;  // a plan that is dearer is of no interest
  std::int64_t horizon = 0;    // no plan of interest takes longer
  double work = 1;             // the solver's units
  int seed = 1;
  const std::atomic<bool>* interrupted = nullptr;
};

struct TimedAnswer {
  std::int64_t bound = 0;      // of the cost of all plans of interest
  bool is_infeasible = false;  // there are none, says the solver
  bool is_solved = false;      // the bound is the least cost
  // Of our plans: one but for addresses, as it begins. Empty: none was found.
  std::vector<TimedRun> runs;
  // Of a bound: what its best solution had more of than has a place in time.
  std::vector<TaskId> more_runs;
  std::vector<TensorId> more_comes;
  double work = 0;
};

// `graph`: with moves, where our plans may have some.
TimedAnswer solve_timed(const Problem& problem, const DeviceGraph& graph, const TimedPrices& prices,
                        const TimedOptions& options);

}  // namespace stint
