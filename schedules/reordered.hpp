// How long the actions of a schedule would take in another order, each still on its own worker: an
// estimate by list scheduling (the ready action with the longest way to the end goes first; Graham
// 1969), and a bound that no order beats.
//
// Only what actions read and write holds them back here. That two buffers share addresses does not,
// so an order found here may need more memory than the schedule has. Power states are entered for
// nothing. Cost: O(n log n + e) for n actions, e dependences; made once for many sets of times.
#pragma once

#include <vector>

#include "schedules/lanes.hpp"

namespace stint {

class Reordered {
 public:
  // The order must have no cycle. References must outlive it.
  Reordered(const Schedule& schedule, const std::vector<Worker>& workers, const Order& order);

  // `seconds` by action.
  double list_makespan(const std::vector<double>& seconds) const;
  double lower_bound(const std::vector<double>& seconds) const;  // longest path, busiest worker

 private:
  void find_resources();
  void find_dependences();
  std::vector<double> tails(const std::vector<double>& seconds) const;

  const Schedule& schedule_;
  const std::vector<Worker>& workers_;
  const Order& order_;
  int resources_ = 0;                              // workers of devices, channels
  std::vector<int> resource_;                      // by action
  std::vector<int> held_;                          // by action: the worker it occupies, or -1
  std::vector<std::vector<ActionId>> successors_;  // by action
  std::vector<int> predecessors_;                  // by action: how many
};

}  // namespace stint
