// Where the items of a plan do not fit into the memory although what is live always does: stretches
// of its order in which addresses waste bytes, so that it can be planned again with fewer bytes
// there and as many as before elsewhere.
//
// From the items that stick out of the best placement at hand, time is looked at around each, twice
// as much from one try to the next, until the exact search proves that what lives there cannot be
// packed (obstacle.hpp), or cannot tell any more. A cut forbids the plan it comes from, and others
// with it that may have addresses: good for finding plans, not for bounds.
//
// Cost: a placement, and for each of a few stretches searches within a limit.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "planner/graphs/sequence.hpp"

namespace stint {

// Positions in the order of first runs, half-open.
struct AddressCut {
  int begin = 0;
  int end = 0;
  int middle = 0;
  std::int64_t reserved_bytes = 0;  // as many as make the plan at hand exceed the memory
};

struct AddressCutOptions {
  double limit = 1;  // units of search for offsets, for each stretch
  const std::atomic<bool>* interrupted = nullptr;
};

// Of a sequence whose live bytes are within the memory. Nothing where offsets are found.
std::vector<AddressCut> address_cuts(const DeviceGraph& graph, const TaskSequence& sequence,
                                     const AddressCutOptions& options);

}  // namespace stint
