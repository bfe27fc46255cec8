// The variables of the relaxed placement (placement_bound.hpp), and its constraints on where tasks
// run, on copies and on time. Memory comes on top of these (relaxed_memory.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "planner/placement/placed_graph.hpp"
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

class RelaxedPlacement {
 public:
  RelaxedPlacement(const PlacedGraph& graph, const RelaxedUnits& units);

  // Adds everything but memory.
  void build();
  // Sets what to minimise: joules or seconds.
  void minimise(bool joules);

  const PlacedGraph& graph() const { return graph_; }
  const RelaxedUnits& units() const { return units_; }
  const TransferPrices& prices() const { return prices_; }
  CpModel& model() { return model_; }
  // Memories with devices.
  const std::vector<MemoryId>& memories() const { return memories_; }
  // The task's first execution to end is in that memory; no_variable where it cannot be.
  VariableId in(TaskId task, MemoryId memory) const { return in_[task][memory]; }
  VariableId copied(GraphItemId item, MemoryId memory) const { return copied_[item][memory]; }
  VariableId repeated(TaskId task, MemoryId memory) const { return repeated_[task][memory]; }
  VariableId way(TaskId task, int index) const { return ways_[task][index]; }
  VariableId end(TaskId task) const { return ends_[task]; }
  // Something beside the first executions and copies costs joules; where there is one device in the
  // memory, also its time.
  void add_cost(VariableId variable, double joules) {
    joules_.add(variable, units_.joules_down(joules));
  }
  void add_execution(VariableId variable, TaskId task, MemoryId memory);
  // sum of variables, the absent ones left out: used for constraints of the form sum >= least.
  void add_at_least(const std::vector<std::pair<VariableId, int>>& terms, int least);

 private:
  struct Least {
    double joules = 0;
    double seconds = 0;
  };
  Least least_way(TaskId task, MemoryId memory) const;
  bool may_repeat(TaskId task) const;
  void add_places();
  void add_device_states();
  void add_copies();
  void add_state_copies();
  void add_times();
  void add_edge(GraphItemId item, TaskId reader);
  void add_lengths();
  LinearSum duration(TaskId task, std::int64_t factor) const;
  VariableId home(GraphItemId item, MemoryId memory) const;

  const PlacedGraph& graph_;
  RelaxedUnits units_;
  TransferPrices prices_;
  CpModel model_;
  LinearSum joules_;
  std::vector<MemoryId> memories_;
  std::vector<std::vector<VariableId>> in_;        // [task][memory]
  std::vector<std::vector<VariableId>> ways_;      // [task][way]
  std::vector<std::vector<VariableId>> copied_;    // [item][memory]
  std::vector<std::vector<VariableId>> repeated_;  // [task][memory]
  std::vector<std::vector<VariableId>> home_;      // [item][memory]: of inputs
  std::vector<VariableId> ends_;                   // by task
  std::vector<LinearSum> work_;                    // by device: seconds units
  VariableId length_{0};                           // of the step
};

}  // namespace stint
