// Memory in the relaxed placement: counted at a few moments, when given tasks first run.
//
// For a memory and a moment g: an item whose first writer g depends on, and which somebody who
// depends on g reads, both in that memory, is there; or was moved away and is fetched back; or is
// computed again, with what that needs. A move or another execution is paid for once, however many
// moments it serves, so several moments strengthen each other and none counts twice.
#pragma once

#include <vector>

#include "planner/placement/relaxed_placement.hpp"

namespace stint {

// Tasks at which more is alive than a memory holds if everything runs there; the worst first.
std::vector<TaskId> crowded_moments(const PlacedGraph& graph, MemoryId memory, int most);

void add_moments(RelaxedPlacement& relaxed, MemoryId memory, const std::vector<TaskId>& moments);

}  // namespace stint
