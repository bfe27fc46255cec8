// Which actions are certain to be finished before another starts, whatever the timing: vector
// clocks (Fidge 1988, Mattern 1989) over the workers' lists.
//
// An action knows, for every worker, how many actions of that worker's list happen before it. What
// it knows changes only where it waits for another worker, so a row of the clock is stored only
// there and shared by the actions that follow: O(joins × workers) memory, O(1) per question.
#pragma once

#include <vector>

#include "schedules/lanes.hpp"

namespace stint {

class HappensBefore {
 public:
  // `order` is a topological order of the schedule.
  HappensBefore(const Schedule& schedule, const Lanes& lanes, const std::vector<ActionId>& order);

  // False for an action and itself.
  bool operator()(ActionId earlier, ActionId later) const {
    return earlier != later &&
           known(later, lanes_->own[earlier].lane) > lanes_->own[earlier].position;
  }

  // How many actions of that worker's list happen before the action or are it.
  int known(ActionId action, WorkerId lane) const;

 private:
  void add_row(const Schedule& schedule, ActionId action);
  bool knows_all_of(int row, const Schedule& schedule, ActionId action) const;

  const Lanes* lanes_;
  const Schedule* schedule_;
  std::vector<int> column_;  // by worker: its column, or -1 if it does nothing
  int columns_ = 0;
  std::vector<int> row_;     // by action
  std::vector<int> clocks_;  // rows one after another; row 0 knows nothing
};

}  // namespace stint
