// From a sequence of tasks on one worker to a draft: every instance of an item is a buffer, parts
// lie within it, inputs come in just before they are first read.
#pragma once

#include <vector>

#include "planner/draft.hpp"
#include "planner/graphs/sequence.hpp"

namespace stint {

// `states`: by task the power state that it runs in.
Draft graph_draft(const Problem& problem, const DeviceGraph& graph, const TaskSequence& sequence,
                  const std::vector<int>& states);

}  // namespace stint
