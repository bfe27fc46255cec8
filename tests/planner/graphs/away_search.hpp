// The least cost of a step on one worker whose memory has a disk beside it, found by looking at
// everything that can happen: any order, any task again, anything dropped, sent to the disk or
// fetched back at any time, any state living on the disk. Copies take no time and cost by the byte.
// Dijkstra over states for every choice of what lives where. For a dozen tasks without parts.
#pragma once

#include <cstdint>
#include <optional>

#include "models/graph.hpp"

namespace stint {

struct DiskPrices {
  double per_second = 1;  // of a task
  double per_byte = 1;    // copied
};

// In live bytes, so no plan with addresses takes less. Nothing if there is no way.
std::optional<double> least_cost_with_disk(const Graph& graph, std::int64_t memory_bytes,
                                           const DiskPrices& prices);

}  // namespace stint
