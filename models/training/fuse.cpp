#include "models/training/fuse.hpp"

#include "models/training/differentiate.hpp"
#include "models/training/fusions.hpp"

namespace stint {

// In this order: a ReLU that a norm could take is not left to the maxima, and a product takes a
// ReLU with its maxima.
bool fuse(Training& training) {
  bool any = false;
  for (const auto pass : {fuse_convolutions, fuse_norms, fuse_pools, fuse_products})
    any = pass(training) || any;
  return any;
}

bool can_fuse(const Network& network, ImageLayout layout) {
  Training training = differentiate(network, layout);
  return fuse(training);
}

}  // namespace stint
