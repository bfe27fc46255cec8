// A convolution or linear layer with the ReLU after it, or with the ReLU and maxima: forward, what
// the product makes of a leaf is rectified while it is in cache, and where maxima follow it is
// never more than workspace.
#include <fmt/format.h>

#include <limits>

#include "models/training/fusions.hpp"

namespace stint {
namespace {

struct ProductChain {
  int product = no_operation;
  int tail = no_operation;  // its ReLU, or ReLU and maxima
};

class Products {
 public:
  explicit Products(Training& training) : training_(training), links_(training) {}

  std::vector<ProductChain> find() const {
    std::vector<ProductChain> chains;
    for (int i = 0; i < links_.count(); ++i) {
      if (operation(i).op != "conv2d.forward" && operation(i).op != "linear.forward") continue;
      const ValueId y = operation(i).writes[0];
      int tail = links_.only_reader(y, "relu.forward");
      if (tail != no_operation && !is_plain_relu(*kind_of<Relu>(operation(tail)))) continue;
      if (tail == no_operation) tail = links_.only_reader(y, "relu_pool.forward");
      if (tail != no_operation) chains.push_back({i, tail});
    }
    return chains;
  }

  void apply(const std::vector<ProductChain>& chains) {
    Replacements replaced;
    for (const ProductChain& chain : chains) {
      replaced.remove(chain.product);
      replaced.put(chain.tail, fused(chain));
    }
    replaced.apply(training_);
  }

 private:
  const Operation& operation(int i) const { return links_.operation(i); }

  FusedProduct origin(const ProductChain& chain) const {
    const Operation& tail = operation(chain.tail);
    FusedProduct fused{.product = std::get<LayerKind>(operation(chain.product).origin)};
    fused.between = training_.values[operation(chain.product).writes[0]].shape;
    if (const auto* pool = std::get_if<FusedPool>(&tail.origin)) {
      fused.rectifier = pool->rectifier;
      fused.pool = pool->pool;
    } else {
      fused.rectifier = *kind_of<Relu>(tail);
    }
    return fused;
  }

  // What the product needs, and behind it, where maxima follow, what it makes.
  Workspace workspace(const ProductChain& chain, bool pools) const {
    Workspace needed = operation(chain.product).effort.workspace;
    if (!pools) return needed;
    Shape sample = training_.values[operation(chain.product).writes[0]].shape;
    sample[0] = {1};
    needed.bytes += workspace_alignment_bytes;
    needed.sample_bytes += float_bytes * product(sample).count;
    needed.most_bytes = std::numeric_limits<std::int64_t>::max();
    return needed;
  }

  Operation fused(const ProductChain& chain) const {
    const Operation& first = operation(chain.product);
    const Operation& tail = operation(chain.tail);
    Operation made = first;
    const FusedProduct both = origin(chain);
    made.name = fmt::format("{}+{}", first.layer, tail.name);
    made.op =
        fmt::format("{}_then_relu{}.forward", op_name(both.product), both.pool ? "_pool" : "");
    made.origin = both;
    made.writes = tail.writes;
    made.optional = tail.optional;
    made.may_overwrite.clear();
    made.effort = joint_effort(links_, {chain.product, chain.tail});
    made.effort.workspace = workspace(chain, both.pool.has_value());
    return made;
  }

  Training& training_;
  OperationLinks links_;
};

}  // namespace

bool fuse_products(Training& training) {
  Products products(training);
  const std::vector<ProductChain> chains = products.find();
  products.apply(chains);
  return !chains.empty();
}

}  // namespace stint
