// A problem as planners for several devices see it: items and tasks as in one device's graph
// (graphs/device_graph.hpp), with their bytes in every memory, and the ways to run each task.
//
// State that tasks update lives in one memory, the one of its updaters, which therefore all run
// there; so do the tasks that write parts of one item. Such tasks are tied: they move from memory
// to memory together. State that is only read is there from the start in every memory that reads
// it. Copies take the route of links that is quickest for items of typical size.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/graphs/device_graph.hpp"
#include "planner/problem.hpp"

namespace stint {

// One way to run a task.
struct PlacedWay {
  DeviceId device{0};
  int state = 0;
  double seconds = 0;
  double joules = 0;  // of the busy worker, and its share of what an active device adds
};

// State that is read and updated as one.
struct PlacedState {
  TensorId tensor = no_tensor;      // around all that share bytes
  std::vector<std::int64_t> bytes;  // by memory
  std::vector<TaskId> updaters;     // in the listed order
  bool is_result = false;
};

struct PlacedGraph {
  const Problem* problem = nullptr;
  DeviceGraph flat;                                  // items and tasks
  std::vector<std::vector<std::int64_t>> bytes;      // [item][memory]
  std::vector<std::vector<std::int64_t>> workspace;  // [task][memory]
  std::vector<PlacedState> states;
  std::vector<int> state_of;                    // by tensor; -1: no state
  std::vector<std::vector<int>> reads_state;    // by task, each once
  std::vector<std::vector<int>> updates_state;  // by task
  std::vector<std::vector<TaskId>> readers;     // by item, ascending
  std::vector<char> is_whole;  // by item: one task writes it, and who reads it reads all of it
  std::vector<std::vector<PlacedWay>> ways;              // by task
  std::vector<std::vector<TaskId>> tied;                 // by task: itself and those tied to it
  std::vector<std::vector<std::vector<LinkId>>> routes;  // [from][to]; empty: none
  std::vector<MemoryId> away;  // by memory: where its items are sent; no_memory: nowhere

  std::size_t tasks() const { return ways.size(); }
  MemoryId memory_of(DeviceId device) const { return problem->platform().devices[device].memory; }
  // The ways of a task in a memory; null if there is none.
  const PlacedWay* first_way(TaskId task, MemoryId memory) const;
};

// Whether each task may run in a state of its own.
bool has_own_states(const Device& device);

// Nothing if sizes are beyond all reason, or tied tasks have no memory in common.
std::optional<PlacedGraph> placed_graph(const Problem& problem);

}  // namespace stint
