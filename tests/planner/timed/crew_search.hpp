// The least joules of a step on several workers of one memory, found by looking at everything that
// can happen: whoever is free may begin anything that has its inputs, also again, and anything may
// be dropped at any time. Dijkstra over states. For about seven tasks without parts, overwriting
// and optional outputs, whose seconds are whole numbers.
#pragma once

#include <cstdint>
#include <optional>

#include "models/graph.hpp"

namespace stint {

struct CrewPrices {
  int workers = 2;
  double always_watts = 28;
  double busy_watts = 7;
};

// In live bytes, so no plan with addresses takes less. Nothing if there is no way.
std::optional<double> least_joules_of_crew(const Graph& graph, std::int64_t memory_bytes,
                                           const CrewPrices& prices);

}  // namespace stint
