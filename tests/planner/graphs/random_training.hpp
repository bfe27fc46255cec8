// Small random training graphs: layers that read one or two earlier ones, a loss, and for every
// layer a backward task that reads gradients and what its forward read or wrote.
#pragma once

#include <cstdint>

#include "models/graph.hpp"

namespace stint {

struct RandomTrainingOptions {
  int layers = 4;
  int max_bytes = 9;
  bool with_workspace = false;
  bool with_updates = false;  // of a state for every layer, after its backward
};

Graph random_training(std::uint64_t seed, const RandomTrainingOptions& options = {});

}  // namespace stint
