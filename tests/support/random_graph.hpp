// Random sound graphs for property tests. The same options and seed give the same graph.
#pragma once

#include <cstdint>

#include "models/graph.hpp"

namespace stint {

struct RandomGraphOptions {
  int tasks = 12;
  int max_bytes = 64;
  bool with_state = true;      // state tensors, readers before and after their updates
  bool with_parts = true;      // wholes tiled by parts, and views of wholes
  bool with_optional = true;   // optional outputs
  bool with_overwrite = true;  // may_overwrite permissions
  bool with_workspace = true;
  bool with_zero_bytes = true;
};

// Every task has `seconds` for the device kind "cpu", and most also for "gpu".
Graph random_graph(std::uint64_t seed, const RandomGraphOptions& options = {});

}  // namespace stint
