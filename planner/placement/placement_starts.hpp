// Where the search for a plan on several devices begins: everything on one device, and lists by
// energy (energy_list.hpp) at several prices of a second, for some devices of every kind or all of
// them; and what may move together: the tasks that read or update one state, a layer.
#pragma once

#include <vector>

#include "planner/placement/placement_choice.hpp"

namespace stint {

std::vector<PlacementChoice> placement_starts(const PlacedGraph& graph);

// Sets of tasks with a state in common; only those of several tasks.
std::vector<std::vector<TaskId>> tasks_by_state(const PlacedGraph& graph);

}  // namespace stint
