// The passes of which fusing consists (fuse.hpp). Each replaces what it finds, and says whether it
// found anything.
#pragma once

#include <limits>

#include "models/training/operation_links.hpp"

namespace stint {

// Bounds, and no slope: what is at a bound has no gradient, whatever it was before. Not below all
// numbers, by which a maximum of none is told from others.
inline bool is_plain_relu(const Relu& relu) {
  return relu.slope == 0 && relu.min > std::numeric_limits<float>::lowest();
}

// A small convolution, its ReLU, 2 × 2 maxima: one task each way, in bands of rows.
bool fuse_convolutions(Training& training);

// A batch norm and the ReLU after it, also where a residual is added in between.
bool fuse_norms(Training& training);

// A ReLU and the maxima after it, of images whose channels lie last.
bool fuse_pools(Training& training);

// A convolution or linear layer, and the ReLU, the ReLU and maxima, or post-ops of these after it:
// forward, leaf by leaf.
bool fuse_products(Training& training, const std::vector<std::string>& post_ops);

}  // namespace stint
