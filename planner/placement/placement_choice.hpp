// What a plan on several devices decides, apart from what follows by itself: the order in which
// tasks first run, where and in which power state, and what happens to each item after each use.
// Everything else, the copies, what runs again, workers and times, is the replay's
// (placed_replay.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "planner/order.hpp"
#include "planner/placement/placed_graph.hpp"
#include "planner/strategy.hpp"

namespace stint {

enum class AfterUse : char {
  keep,  // stays where it is
  drop,  // is computed again when it is needed
  send   // goes to the memory `away`, and comes back when it is needed
};

// Uses of items by tasks: what each reads, then what it writes.
struct PlacedUses {
  std::vector<int> first;         // by task, and one behind the last
  std::vector<GraphItemId> item;  // by use
};
PlacedUses uses_of(const PlacedGraph& graph);

struct PlacementChoice {
  TaskOrder order;
  std::vector<DeviceId> device;   // by task
  std::vector<WorkerId> worker;   // by task; empty: whoever of the device can begin first
  std::vector<int> state;         // by task; only for devices whose tasks have their own
  std::vector<int> device_state;  // by device; for the others
  std::vector<AfterUse> after;    // by use
  std::vector<char> repeats;      // by item: computed again in other memories, rather than copied
  std::vector<char> holds;        // by item: stays after it was computed again for another's sake
  int ahead = 0;  // copies wait until so many tasks are left before the one they are for; 0: do not
};

// Every task once, in the order given, all on the devices given, in the first state.
PlacementChoice plain_choice(const PlacedGraph& graph, TaskOrder order,
                             std::vector<DeviceId> device);

// Moves tied tasks to one memory: that of the first of them, or another where all can run.
void settle_ties(const PlacedGraph& graph, PlacementChoice& choice);

// Moves tasks behind all that they depend on, versions of state included; the rest of the order
// stays. Orders of schedules need it: there a copy of state may be read after the update of it, and
// a replay makes that copy only when it comes to the reader. O((n + e) log n).
void settle_order(const PlacedGraph& graph, PlacementChoice& choice);

// What a schedule decides in these terms; its replay may differ in what they do not say, and its
// order has yet to be settled.
PlacementChoice choice_of(const PlacedGraph& graph, const Schedule& schedule);

}  // namespace stint
