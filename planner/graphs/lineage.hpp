// Tasks of which each depends on the one before: the only moments that have an order in every plan.
//
// A task is added if it is related to all that are there. Which one of several near each other says
// most is for the caller: the one that takes most memory, or the one to which most other tasks are
// related, since what may run on either side of a moment says little about it. O(n + e) for each
// task that is added, or asked for its relatives.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/order.hpp"
#include "planner/problem.hpp"

namespace stint {

class Lineage {
 public:
  explicit Lineage(const Problem& problem);

  const std::vector<TaskId>& tasks() const { return tasks_; }  // in their order
  bool could_add(TaskId task) const { return possible_[task]; }
  bool add(TaskId task);

  // Of the tasks around a position of an order the one with (nearly) the most relatives, the
  // nearest of them.
  bool add_around(const TaskOrder& order, int position);
  // Of the tasks around a position the one with most bytes, of those that have any; or only of
  // those with (nearly) the most relatives.
  bool add_highest(const TaskOrder& order, int position, const std::vector<std::int64_t>& bytes,
                   bool related);

  static constexpr int furthest = 12;  // from the position

 private:
  int count_of_relatives(TaskId task);

  const Problem* problem_;
  std::vector<TaskId> tasks_;
  std::vector<char> possible_;  // related to all of them
  std::vector<int> counts_;     // by task; -1: not known
};

}  // namespace stint
