// GPUs of this machine as devices of a platform. Memory is what was found free; prices cannot be
// found, and are defaults of basis `assumed`.
#pragma once

#include <vector>

#include "executor/accelerator.hpp"
#include "platforms/platform.hpp"

namespace stint {

// Behind all other devices, with links to and from the first memory, and to and from one another.
void add_gpus(const std::vector<FoundGpu>& gpus, Platform& platform);

}  // namespace stint
