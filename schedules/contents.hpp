// What the cells of buffers hold, as the judge's pass over a step finds it (rules_contents.cpp) and
// leaves it for the end of the step (rules_step_end.cpp).
#pragma once

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "schedules/layout.hpp"

namespace stint {

inline constexpr int nobody = -1;
inline constexpr int initial_version = -1;  // of state; else a version is its updating task's id

struct Cell {
  bool written = false;
  int version = initial_version;
  int writer = nobody;    // the action that wrote last; nobody: there from the start
  int writes = 0;         // in this step
  int accesses = nobody;  // list of those since the last write, the write included
  int lost_to = nobody;   // the cell that took its addresses
  bool lasting = false;   // state or double: in use throughout
};

struct Contents {
  std::vector<Cell> cells;
  std::vector<int> origins;      // by segment: how often an input comes in
  std::vector<int> loads_ahead;  // by buffer: loads for the next step
};

// Which version of state a task must see: that of the last update listed before it.
class StateVersions {
 public:
  StateVersions(const Graph& graph, const Segments& segments) {
    for (int t = 0; t < static_cast<int>(graph.tasks.size()); ++t) {
      for (const TensorId tensor : graph.tasks[t].updates) {
        const SegmentRange range = segments.of_tensor[tensor];
        for (int s = range.begin; s < range.end; ++s) updaters_[s].push_back(t);
      }
    }
  }
  int before(int segment, TaskId task) const {
    const auto found = updaters_.find(segment);
    if (found == updaters_.end()) return initial_version;
    const auto& list = found->second;
    const auto end = std::lower_bound(list.begin(), list.end(), static_cast<int>(task));
    return end == list.begin() ? initial_version : *(end - 1);
  }
  int last(int segment) const {
    const auto found = updaters_.find(segment);
    return found == updaters_.end() ? initial_version : found->second.back();
  }

 private:
  std::unordered_map<int, std::vector<int>> updaters_;  // by segment: updating tasks, ascending
};

}  // namespace stint
