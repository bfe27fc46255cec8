// The steps of a plan for one worker in the order in which several would begin them.
//
// Whenever a worker is free it takes, of all steps whose inputs are there, the one with the longest
// way to the end (event-driven list scheduling; Graham 1966, Hu 1961). A step may begin before
// others that stand before it only if what it leaves behind fits beside all that these need: so the
// steps that remain, in their order, always fit, and there is never a deadlock. Copies have a lane
// of their own; what comes back comes no earlier than it is about to be needed.
//
// Times only steer: the plan still waits for data and for room. O(steps · steps ahead).
#pragma once

#include "planner/graphs/graph_draft.hpp"

namespace stint {

// Needs a sequence that fits; the one that comes back fits as well.
TaskSequence side_by_side(const Problem& problem, const DeviceGraph& graph,
                          const TaskSequence& sequence, const GraphCrew& crew);

}  // namespace stint
