// What the relaxed placement knows of devices that do one thing after the other: between the end of
// a task and the beginning of another, all that depends on the one and that the other depends on is
// done, each device's part of it by that device. Branches that meet again are where this tells more
// than the longest path; the pairs are those around every task that joins several others.
#pragma once

#include <atomic>
#include <vector>

#include "planner/placement/relaxed_placement.hpp"

namespace stint {

struct WorkBetween {
  TaskId first = no_task;  // no_task: the beginning of the step
  TaskId then = no_task;   // no_task: its end
  std::vector<TaskId> tasks;
};

std::vector<WorkBetween> joined_work(const PlacedGraph& graph);

// For work of few tasks more is true: what it costs at least together with its time, at a price of
// a second. By where the tasks run, if there are few ways for that (block_patterns.hpp), else over
// all of them, by solving it alone with its tasks in turns. Remembers what it has found.
class BlockCosts {
 public:
  BlockCosts(const PlacedGraph& graph, const RelaxedUnits& units,
             const std::vector<WorkBetween>& blocks, const std::atomic<bool>* interrupted);

  // Solves for a price of a second unit, within so many of the solver's units.
  void solve_at(std::int64_t price, double work);
  // Adds a constraint for every block and price solved.
  void add_to(RelaxedPlacement& relaxed) const;

 private:
  struct Cost {
    int block = 0;
    std::int64_t price = 0;
    std::vector<std::int64_t> least;  // by pattern, or one for all
  };
  double solve_alone(int block, std::int64_t price, double work);
  std::vector<VariableId> add_patterns(const WorkBetween& block, RelaxedPlacement& relaxed) const;

  const PlacedGraph& graph_;
  RelaxedUnits units_;
  std::vector<WorkBetween> blocks_;  // the small ones
  const std::atomic<bool>* interrupted_;
  std::vector<Cost> costs_;
};

// What a second may be worth, in joules, at most: as much as a device saves by a slower state, or
// what it takes.
double dearest_second(const Platform& platform);

// What a second beyond those billed is worth where tasks of a device that do nothing but follow
// each other would go over from one state to the next: ascending, above 0.
std::vector<double> switching_prices(const Platform& platform, double billed_watts);

}  // namespace stint
