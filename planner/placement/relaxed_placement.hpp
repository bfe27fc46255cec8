// The variables of the relaxed placement (placement_bound.hpp), and its constraints on where tasks
// run, on copies and on time. Memory comes on top of these (relaxed_memory.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "planner/placement/placement_choice.hpp"
#include "planner/placement/transfer_prices.hpp"
#include "planner/solver/cp_sat.hpp"

namespace stint {

// Whole numbers instead of seconds and joules, rounded down for a bound.
struct RelaxedUnits {
  double seconds = 1;  // of one unit
  double joules = 1;
  std::int64_t per_second_unit = 0;  // joule units of what is always on, exactly
  std::int64_t horizon = 0;          // seconds units: no plan of interest is longer

  std::int64_t seconds_down(double value) const;
  std::int64_t joules_down(double value) const;
};

inline constexpr VariableId no_variable{INT32_MIN};

// Some tasks of the graph; time begins with the end of the first of them.
struct RelaxedScope {
  std::vector<char> is_in;  // by task; empty: all of them
  TaskId first = no_task;
};

class RelaxedPlacement {
 public:
  RelaxedPlacement(const PlacedGraph& graph, const RelaxedUnits& units, RelaxedScope scope = {});

  // Adds everything but memory.
  void build();
  // Sets what to minimise: joules, with a price of its own for each second unit, or seconds; known
  // not to be less than `least`.
  void minimise_joules(std::int64_t price, std::int64_t least = 0);
  void minimise_seconds(std::int64_t least = 0);
  void limit_length(std::int64_t most) { model_.add_linear(length_, 0, most); }
  VariableId length() const { return length_; }

  const PlacedGraph& graph() const { return graph_; }
  const RelaxedUnits& units() const { return units_; }
  const TransferPrices& prices() const { return prices_; }
  CpModel& model() { return model_; }
  // Memories with devices.
  const std::vector<MemoryId>& memories() const { return memories_; }
  // Everything that must run between the two runs on some device after `first` has ended and before
  // `then` begins: at least the device's share of it lies between them. no_task: the ends of the
  // step.
  void add_work_between(TaskId first, TaskId then, const std::vector<TaskId>& between);
  // First executions on one device do not overlap more than it has workers.
  void add_turns();
  // The first executions of two tasks are one after the other where they share a device of one
  // worker; elsewhere the first ends at most so long after the second begins, or the reverse.
  void add_turns_of(TaskId a, TaskId b, std::int64_t most_overlap, std::int64_t most_reverse);
  // Joules of the tasks, of copies of what they and `first` write, and of executions beside; and
  // what a second unit costs between the end of `first` and the beginning of `then`.
  LinearSum cost_between(TaskId first, TaskId then, const std::vector<TaskId>& between,
                         std::int64_t per_second_unit) const;
  // The task's first execution to end is in that memory; no_variable where it cannot be.
  VariableId in(TaskId task, MemoryId memory) const { return in_[task][memory]; }
  VariableId copied(GraphItemId item, MemoryId memory) const { return copied_[item][memory]; }
  VariableId repeated(TaskId task, MemoryId memory) const { return repeated_[task][memory]; }
  // A copy of state that is updated in another memory.
  VariableId crosses(int state, MemoryId memory) const { return crosses_[state][memory]; }
  VariableId way(TaskId task, int index) const { return ways_[task][index]; }
  VariableId end(TaskId task) const { return ends_[task]; }
  // Something beside the first executions and copies costs joules; where there is one device in the
  // memory, also its time.
  void add_cost(VariableId variable, double joules) {
    joules_.add(variable, units_.joules_down(joules));
  }
  void add_execution(VariableId variable, TaskId task, MemoryId memory);
  // Something is brought into a memory, or taken out of it: the links there are busy so long.
  void add_arrival(VariableId variable, MemoryId memory, std::int64_t bytes);
  void add_departure(VariableId variable, MemoryId memory, std::int64_t bytes);
  // sum of variables, the absent ones left out: used for constraints of the form sum >= least.
  void add_at_least(const std::vector<std::pair<VariableId, int>>& terms, int least);

 private:
  struct Least {
    double joules = 0;
    double seconds = 0;
  };
  Least least_way(TaskId task, MemoryId memory) const;
  bool may_repeat(TaskId task) const;
  bool has(TaskId task) const { return scope_.is_in.empty() || scope_.is_in[task] != 0; }
  bool has_source(GraphItemId item) const;
  double copy_joules_into(GraphItemId item, MemoryId memory) const;
  void add_places();
  void add_device_states();
  void add_copies();
  void add_copy(GraphItemId item, MemoryId memory);
  void add_state_copies();
  void add_times();
  void add_edge(GraphItemId item, TaskId reader);
  void add_way_between(GraphItemId item, TaskId reader, MemoryId memory);
  void add_lengths();
  LinearSum duration(TaskId task, std::int64_t factor) const;
  VariableId add_order(TaskId first, TaskId then, std::int64_t most_overlap);
  VariableId home(GraphItemId item, MemoryId memory) const;

  const PlacedGraph& graph_;
  RelaxedUnits units_;
  RelaxedScope scope_;
  TransferPrices prices_;
  CpModel model_;
  LinearSum joules_;
  std::vector<MemoryId> memories_;
  std::vector<std::vector<VariableId>> in_;        // [task][memory]
  std::vector<std::vector<VariableId>> ways_;      // [task][way]
  std::vector<std::vector<VariableId>> copied_;    // [item][memory]
  std::vector<std::vector<VariableId>> repeated_;  // [task][memory]
  std::vector<std::vector<VariableId>> crosses_;   // [state][memory]
  std::vector<std::vector<VariableId>> home_;      // [item][memory]: of inputs
  std::vector<VariableId> ends_;                   // by task
  std::vector<LinearSum> work_;                    // by device: seconds units
  std::vector<LinearSum> arrivals_;                // by memory: seconds units of its links
  std::vector<LinearSum> departures_;              // likewise
  VariableId length_{0};                           // of the step
};

}  // namespace stint
