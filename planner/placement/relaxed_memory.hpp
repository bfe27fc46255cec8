// Memory in the relaxed placement: counted at a few moments, when given tasks first run.
//
// The moments of a memory each depend on the one before, so they cut the step into intervals. An
// item is there at a moment if it was there at the moment before, or was fetched or computed again
// between; a reader in that memory finds it there, or it came since. So what is away at one moment,
// there at the next and away again is paid for each time. It holds whatever the order of the other
// tasks, and wherever the items come from. As many booleans as moments times items and tasks.
#pragma once

#include <vector>

#include "planner/placement/placement_choice.hpp"
#include "planner/placement/relaxed_placement.hpp"

namespace stint {

// Tasks at which more is alive than a memory holds if everything runs there: the worst, and others
// of which each depends on the one before. In the order of the tasks.
std::vector<TaskId> crowded_moments(const PlacedGraph& graph, MemoryId memory, int most);

// What was counted: whether items are there at the moments, and come back by a copy between them.
struct CountedMemory {
  MemoryId memory = no_memory;
  std::vector<TaskId> moments;
  std::vector<std::vector<VariableId>> there;  // [item][moment], from 1 on; no_variable: not known
  std::vector<std::vector<VariableId>> fetched;  // [item][interval], likewise
};
CountedMemory add_moments(RelaxedPlacement& relaxed, MemoryId memory,
                          const std::vector<TaskId>& moments);

// What a solution does with items between the moments of a memory, in the order of the choice: what
// is not there at a moment leaves after its use before, to be fetched or computed again.
void take_fates(const PlacedGraph& graph, const CountedMemory& counted, const CpAnswer& answer,
                PlacementChoice& choice);

}  // namespace stint
