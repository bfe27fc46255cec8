// What lies in the memory while a sequence runs, for those who look for addresses: one item for
// every instance, in steps, and workspaces. What takes the place of another is one with it.
#pragma once

#include <vector>

#include "planner/addresses/offsets.hpp"
#include "planner/graphs/sequence.hpp"

namespace stint {

// Of the sequence that the meter measured last. O(n).
std::vector<Item> items_of(const DeviceGraph& graph, const SequenceMeter& meter,
                           const TaskSequence& sequence);

}  // namespace stint
