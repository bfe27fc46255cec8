// What is kept between its uses, and the sequence of tasks that follows from it: tasks in a given
// order, and before each what it reads and is not there any more is computed again, just in time,
// with whatever that needs.
//
// A decision for every item and every gap between two uses of it in the order: whether it may still
// be used after the gap. After its last use too: for those that are computed again later. An item
// that was computed again only to compute another stays until its next use if it is held. An item
// may be sent away when it is first written, and is then fetched back instead of computed again.
#pragma once

#include <vector>

#include "planner/graphs/sequence.hpp"
#include "planner/order.hpp"

namespace stint {

struct Retention {
  std::vector<char> keep;  // by gap
  std::vector<char> hold;  // by item
  std::vector<char> away;  // by item
};

// The gaps of all items in one order of the tasks.
class RetentionGaps {
 public:
  RetentionGaps(const DeviceGraph& graph, TaskOrder order);

  const TaskOrder& order() const { return order_; }
  int position(TaskId task) const { return position_[task]; }
  Retention keep_all() const;

  // Where an item is used in the order; gap k follows the k-th use.
  int uses(GraphItemId item) const { return first_[item + 1] - first_[item]; }
  int use(GraphItemId item, int k) const { return use_[first_[item] + k]; }
  // The gap in which the item is while the task at a position runs that does not use it, or the one
  // before it if it does; -1: it is not there yet.
  int gap_before(GraphItemId item, int position) const;
  int gap_at(GraphItemId item, int position) const;  // the one after it if it does
  int gap_after_use(GraphItemId item, int k) const { return first_[item] + k; }
  int count() const { return static_cast<int>(use_.size()); }
  int begin(int gap) const { return use_[gap]; }
  GraphItemId item_of_gap(int gap) const { return item_[gap]; }
  // Positions between its two ends; after the last use, to the end of the order.
  int length(int gap) const;

 private:
  TaskOrder order_;
  std::vector<int> position_;
  std::vector<int> first_;  // by item, into use_
  std::vector<int> use_;    // positions
  std::vector<GraphItemId> item_;
};

// Makes the sequence of a retention. Reused, because it is asked for again and again.
class RetentionReplay {
 public:
  RetentionReplay(const DeviceGraph& graph, const RetentionGaps& gaps)
      : graph_(graph), gaps_(gaps) {}

  // False if something is missing that cannot be computed again, or is computed far too often.
  bool make(const Retention& retention);

  // The same for sets of items: `there[k][item]` says whether the item is there when the task at
  // the k-th of the positions has run; what is missing is computed before it. Between two of these
  // positions nothing is dropped, and what nobody could compute any more after an update of state
  // is computed again before it.
  bool make(const std::vector<int>& positions, const std::vector<std::vector<char>>& there);

  const TaskSequence& sequence() const { return sequence_; }
  // By step: the position in the order of the task that it runs for, itself or one that needs it.
  const std::vector<int>& stage() const { return stage_; }

 private:
  void begin(const std::vector<char>& away);
  TaskId source(GraphItemId item) const;
  bool make_once(const std::vector<int>& positions, const std::vector<std::vector<char>>& there);
  bool compute_early(int position);
  bool run(int position);
  bool compute_again(GraphItemId item, int position);
  TaskId update_before(TaskId task) const;
  void release(const Retention& retention, TaskId task);

  const DeviceGraph& graph_;
  const RetentionGaps& gaps_;
  TaskSequence sequence_;
  std::vector<int> stage_;
  std::vector<char> there_;  // by item
  std::vector<char> ran_;
  const std::vector<char>* away_ = nullptr;
  std::vector<int> passed_;                           // by item: uses in the order so far
  std::vector<GraphItemId> again_;                    // computed again for the task at hand
  std::vector<std::pair<TaskId, std::size_t>> path_;  // task, how many of its reads are there
  struct Early {
    TaskId update = no_task;
    GraphItemId item = no_graph_item;
    bool operator==(const Early&) const = default;
  };
  std::vector<Early> early_;  // to be computed again before the update
  Early missed_;              // why it could not be replayed; no_task: otherwise
};

}  // namespace stint
