// The least seconds in which one worker can do a step in one memory, found by looking at everything
// that can happen: any order, any task again, anything dropped at any time, inputs loaded when they
// are wanted. Dijkstra over states; knows nothing of chains. For a dozen tasks without parts.
#pragma once

#include <cstdint>
#include <optional>

#include "models/graph.hpp"

namespace stint {

// In live bytes, so no plan with addresses takes less. Nothing if there is no way.
std::optional<double> least_seconds(const Graph& graph, std::int64_t memory_bytes);

}  // namespace stint
