#include "models/training/fuse.hpp"

#include <set>

#include "models/training/differentiate.hpp"
#include "models/training/fusions.hpp"

namespace stint {

const std::vector<std::string>& all_post_ops() {
  static const std::vector<std::string> all = {"add", "affine", gelu_post_op, "sigmoid", "tanh"};
  return all;
}

// In this order: a ReLU that a norm could take is not left to the maxima, and a product takes a
// ReLU with its maxima.
bool fuse(Training& training, const std::vector<std::string>& post_ops) {
  bool any = false;
  for (const auto pass : {fuse_convolutions, fuse_norms, fuse_pools}) any = pass(training) || any;
  return fuse_products(training, post_ops) || any;
}

bool can_fuse(const Network& network, ImageLayout layout) {
  Training training = differentiate(network, layout);
  return fuse(training, all_post_ops());
}

std::vector<std::string> post_ops_of(const Network& network, ImageLayout layout) {
  Training training = differentiate(network, layout);
  fuse(training, all_post_ops());
  std::set<std::string> found;
  for (const Operation& operation : training.operations) {
    const auto* fused = std::get_if<FusedProduct>(&operation.origin);
    if (fused == nullptr) continue;
    for (const LayerKind& layer : fused->then) {
      if (!std::holds_alternative<Relu>(layer)) found.insert(std::string(op_name(layer)));
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace stint
