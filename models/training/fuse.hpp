// Layers that are computed in one go, so that what lies between them is never written, or no longer
// kept, and read less often. The bits are those of the layers one by one, so this is for the
// planner to choose, not for the request.
//
//   small convolution (small_convolution.hpp), ReLU, 2 × 2 maxima:
//     conv.forward, relu.forward, pool.forward                            → conv+relu+pool.forward
//     pool.backward, relu.backward, conv.backward_data, .backward_weights → conv+relu+pool.backward
//   batch norm, ReLU; forward also with a residual that is added in between:
//     norm.forward, relu.forward                                          → norm+relu.forward
//     norm.forward, sum.forward, relu.forward                             → norm+sum+relu.forward
//     relu.backward, norm.backward_weights, .backward_data                → norm+relu.backward_…
//   ReLU, maxima:
//     relu.forward, pool.forward                                          → relu+pool.forward
//     pool.backward, relu.backward                                        → relu+pool.backward
//   convolution or linear layer, ReLU or ReLU and maxima, a leaf at a time:
//     conv.forward, relu.forward                                          → conv+relu.forward
//     conv.forward, relu+pool.forward                                     → conv+relu+pool.forward
//   the same with post-ops, of those that are asked for: layers element by element, and a sum with
//   a residual, also several after each other and with a ReLU behind them:
//     linear.forward, sum.forward                                         → linear+sum.forward
//     linear.forward, gelu.forward                                        → linear+gelu.forward
//
// Backward reads what was kept of the result: a maximum says by itself what the ReLU did, and of a
// norm's input the ReLU is computed again. So a norm's ReLU and a convolution's output before
// maxima need not be kept. Of a GELU, backward reads what it was made from: a product with a GELU
// writes both. That saves a pass over it, and nothing else; and the GELU alone can no longer be
// computed again. So it is for plans in which memory is no matter.
#pragma once

#include <string>
#include <vector>

#include "models/lowering.hpp"
#include "models/training/training.hpp"

namespace stint {

// What may be asked for, ascending: add, affine, gelu, sigmoid, tanh.
const std::vector<std::string>& all_post_ops();
inline constexpr const char* gelu_post_op = "gelu";

// Replaces the operations of layers that can be fused; whether there were any.
bool fuse(Training& training, const std::vector<std::string>& post_ops);

// Whether the network has any.
bool can_fuse(const Network& network, ImageLayout layout);

// Those of all post-ops that the network has.
std::vector<std::string> post_ops_of(const Network& network, ImageLayout layout);

}  // namespace stint
