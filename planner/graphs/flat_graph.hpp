// What the tasks of a graph read and write, in lists without gaps. Local searches walk along
// sequences of tasks millions of times, and most of that is waiting for memory: here it is a few
// kilobytes instead of a vector for every task.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "planner/graphs/device_graph.hpp"

namespace stint {

using TaskSequence = std::vector<TaskId>;

struct FlatOutput {
  GraphItemId item = no_graph_item;
  GraphItemId in_place = no_graph_item;
  std::int64_t bytes = 0;       // of a buffer of its own
  std::int64_t item_bytes = 0;  // of the item
  bool is_optional = false;
  bool is_fixed = false;
};

class FlatGraph {
 public:
  explicit FlatGraph(const DeviceGraph& graph);

  std::span<const GraphItemId> reads(TaskId task) const {
    return {reads_.data() + tasks_[task].reads, reads_.data() + tasks_[task + 1].reads};
  }
  std::span<const FlatOutput> writes(TaskId task) const {
    return {writes_.data() + tasks_[task].writes, writes_.data() + tasks_[task + 1].writes};
  }
  std::int64_t workspace_bytes(TaskId task) const { return tasks_[task].workspace_bytes; }
  const std::vector<char>& results() const { return results_; }  // by item
  std::size_t tasks() const { return tasks_.size() - 1; }

 private:
  struct Begin {
    std::int64_t workspace_bytes = 0;
    int reads = 0;
    int writes = 0;
  };
  std::vector<Begin> tasks_;  // one more than there are
  std::vector<GraphItemId> reads_;
  std::vector<FlatOutput> writes_;
  std::vector<char> results_;
};

// Kept from one call to the next, so that nothing is allocated.
struct RunNeeds {
  std::vector<char> ran;       // by task
  std::vector<char> wanted;    // by item: by somebody later
  std::vector<char> is_first;  // by step
};

// Leaves out runs that nobody needs: not the first of their task, and nobody reads what they write.
// O(reads and writes).
void leave_out_needless_runs(const FlatGraph& graph, RunNeeds& needs, TaskSequence& sequence);

}  // namespace stint
