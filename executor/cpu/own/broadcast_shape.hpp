// How a smaller tensor stands along the last dimensions of a larger one, as both lie in memory.
#pragma once

#include <cstdint>
#include <vector>

#include "models/training/task_kernel.hpp"

namespace stint {

// One dimension of the larger tensor, in memory order: its size, and how far apart its neighbours
// are in the smaller tensor (0 if they are the same element).
struct BroadcastDimension {
  std::int64_t size = 1;
  std::int64_t stride = 0;
};
using BroadcastShape = std::vector<BroadcastDimension>;

// Of the larger tensor from the outermost dimension on; neighbours that are walked in one stride
// are one dimension. Never empty.
BroadcastShape broadcast_shape(const KernelOperand& smaller, const KernelOperand& larger);

}  // namespace stint
