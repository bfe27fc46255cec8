// List scheduling with energy in the choice: tasks in the order of their way to the end (upward
// rank: mean seconds, copies included), each on the device where its joules, those of the copies
// that it needs, and the end of the task at a price of a second are least together (Topcuoglu,
// Hariri and Wu, 2002, HEFT, whose price is infinite). Copies are shared by later readers and run
// beside computing.
//
// A quick start for plans on many devices; it ignores memory and proves nothing. Links are taken in
// the order of the tasks. O((n + e) · devices).
#pragma once

#include <optional>
#include <vector>

#include "planner/placement/placement_choice.hpp"

namespace stint {

struct EnergyListOptions {
  std::vector<char> uses;  // by device: whether it may work
  double watts = 0;        // the price of a second
};

// Nothing if there is a task that none of the devices runs where it must.
std::optional<PlacementChoice> list_by_energy(const PlacedGraph& graph,
                                              const EnergyListOptions& options);

// One state for every device whose tasks cannot have their own: the one that costs all the tasks
// that are placed there least, at a price of a second; and for the others one for every task.
void set_frugal_states(const PlacedGraph& graph, double watts, PlacementChoice& choice);

}  // namespace stint
