// Steps whose pipelines have known times and peaks: stages that take the same time, on devices with
// memories of their own between which messages take none.
#pragma once

#include <string>

#include "models/graph.hpp"
#include "platforms/platform.hpp"

namespace stint {

struct EqualStages {
  int stages = 1;
  int microbatches = 1;
  int forward_seconds = 1;
  int backward_seconds = 2;
  int weight_seconds = 0;  // 0: gradients of weights are part of the backward
  int held_bytes = 1;      // from a forward to its backward
};

// As many layers as stages.
Graph equal_stages_graph(const EqualStages& equal);

// So many devices with one worker each; messages take no time.
Platform row_of_devices(int devices, std::int64_t bytes_each = 1 << 20);

}  // namespace stint
