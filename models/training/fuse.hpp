// Layers that are computed in one go: a small convolution (small_convolution.hpp) with the ReLU
// after it, and with the 2 × 2 maxima after that. What lies between them, forward and backward, is
// then never written; where images lie otherwise before or after them, the reorders go too.
//
//   conv.forward, relu.forward, pool.forward                               → conv+relu+pool.forward
//   pool.backward, relu.backward, conv.backward_data, .backward_weights    →
//   conv+relu+pool.backward
//
// Backward reads what was kept of the result: a maximum says by itself what the ReLU did. The bits
// are those of the layers one by one, so this is for the planner to choose, not for the request.
#pragma once

#include "models/lowering.hpp"
#include "models/training/training.hpp"

namespace stint {

// Replaces the operations of layers that can be fused.
void fuse(Training& training);

// Whether the network has any.
bool can_fuse(const Network& network, ImageLayout layout);

}  // namespace stint
