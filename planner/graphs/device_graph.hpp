// The tasks of a problem on one worker of one device, as planners of general graphs see them:
// items, which occupy bytes of the device's memory, and tasks, which read and write items.
//
// An item is a tensor, or all tensors that share bytes with each other: they share a buffer. Most
// items are written by one task, and a task that runs again writes the item anew. An item is fixed
// if there is one instance of it only, from its first use to its last: inputs of the step, which
// come in once; items that several tasks write; what a task that updates state writes; items
// without bytes. State is there throughout and taken off the memory, but for what lives elsewhere
// (state_away.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/problem.hpp"

namespace stint {

enum GraphItemId : int {};
inline constexpr GraphItemId no_graph_item{-1};

struct GraphItem {
  TensorId tensor = no_tensor;  // around all that share bytes
  std::int64_t bytes = 0;       // rounded up to the alignment
  std::vector<TaskId> writers;  // none: an input
  bool is_fixed = false;
  bool is_result = false;  // an instance must be there in the end
  bool is_alone = true;    // nobody uses a part of it
};

struct GraphOutput {
  GraphItemId item = no_graph_item;
  std::int64_t bytes = 0;                // of a buffer of its own
  bool is_optional = false;              // may be left out if nobody reads it
  GraphItemId in_place = no_graph_item;  // whose place it may take, byte for byte
  GraphItemId at_most_in =
      no_graph_item;  // the same as far as any plan may do it: another may be larger
};

struct GraphTask {
  std::vector<GraphItemId> reads;  // ascending, each once
  std::vector<GraphOutput> writes;
  std::int64_t workspace_bytes = 0;
  bool runs_once = false;         // it updates state, or nothing may run again
  std::vector<TaskId> ends_with;  // once one of these has run, state is newer than it may see
};

// State that lives in a slower memory: a task fetches it, as often as one likes, and another saves
// it once it has been updated. Both are tasks of the graph behind those of the problem.
struct AwayState {
  TensorId tensor = no_tensor;          // around all that tasks use of it
  GraphItemId before = no_graph_item;   // as it was before the step
  GraphItemId updated = no_graph_item;  // in the same place; none if nobody updates it
  TaskId fetch = no_task;
  TaskId save = no_task;
};

struct DeviceGraph {
  DeviceId device{0};
  MemoryId memory = no_memory;
  std::vector<GraphItem> items;
  std::vector<GraphTask> tasks;
  int problem_tasks = 0;  // the first of them are those of the problem
  int own_tasks = 0;      // these and those of state that is away: all must run
  std::vector<AwayState> away_state;
  std::vector<GraphItemId> item_of;  // by tensor; no_graph_item for state and what nobody uses
  // With moves: tasks behind those that must run that send an item to a slower memory and fetch it
  // back; by item, no_task where it does not move.
  std::vector<TaskId> send;
  std::vector<TaskId> fetch;
  std::int64_t state_bytes = 0;     // of what is there throughout
  std::int64_t capacity_bytes = 0;  // for the items: without state; negative if state is too much

  TaskId writer(GraphItemId item) const { return items[item].writers.front(); }
  // Copies: of state that is away, and of items that move. A fetch is one from elsewhere.
  bool is_copy(TaskId task) const { return task >= problem_tasks; }
  bool is_fetch(TaskId task) const { return is_copy(task) && tasks[task].reads.empty(); }
  GraphItemId copied(TaskId task) const {
    return is_fetch(task) ? tasks[task].writes.front().item : tasks[task].reads.front();
  }
  bool moves(GraphItemId item) const { return !fetch.empty() && fetch[item] != no_task; }
};

// The same where nothing may run again: there is one instance of every item.
DeviceGraph without_reruns(DeviceGraph graph);

// Nothing if the device cannot run every task, or sizes are beyond all reason.
std::optional<DeviceGraph> device_graph(const Problem& problem, DeviceId device);

// The same for a device that need not run every task.
std::optional<DeviceGraph> graph_in_memory_of(const Problem& problem, DeviceId device);

}  // namespace stint
