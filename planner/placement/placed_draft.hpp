// From a replay on several devices to a draft: every instance is a buffer, parts lie within it.
#pragma once

#include "planner/draft.hpp"
#include "planner/placement/placed_replay.hpp"

namespace stint {

Draft placed_draft(const PlacedGraph& graph, const PlacedReplay& replay);

}  // namespace stint
