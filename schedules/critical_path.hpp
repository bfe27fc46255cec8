// Why a simulated step is not shorter: a chain of actions from the begin of the step to its end, in
// which each starts as soon as the one before it has ended (switching, hand-overs apart).
//
// An action is decided by whatever ended last of what it waited for: what precedes it in a list,
// what its `after` names, or the copy before it on its channel. There may be other chains as long.
// Cost: O(n log n + e) for n actions with e entries in their lists.
#pragma once

#include <vector>

#include "schedules/lanes.hpp"
#include "schedules/simulate.hpp"

namespace stint {

// In the order of time.
std::vector<ActionId> critical_path(const Schedule& schedule, const std::vector<Worker>& workers,
                                    const Lanes& lanes, const Simulation& simulation);

}  // namespace stint
