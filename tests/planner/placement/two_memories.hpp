// A processor and an accelerator, each with a memory of its own and three power states that can be
// set for every action, for the tests of placements; and graphs that both of them run.
#pragma once

#include <cstdint>

#include "models/graph.hpp"
#include "platforms/platform.hpp"

namespace stint {

struct TwoMemoriesOptions {
  int states = 3;
  double bytes_per_second = 10;
  double joules_per_byte = 0.1;
  std::int64_t accelerator_bytes = 1 << 20;
};

// Memories n0/ram of "cpu" and n0/hbm of "gpu".
Platform two_memories(const TwoMemoriesOptions& options = {});

// The graph's "cpu" seconds, and for each task others on "gpu", mostly fewer.
Graph on_two_devices(Graph graph, std::uint64_t seed);

}  // namespace stint
