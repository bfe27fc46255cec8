// A ReLU with the maxima after it, each way: the ReLU's image is neither written nor kept. A
// maximum says by itself what the ReLU did where it came from.
#include <fmt/format.h>

#include "models/training/fusions.hpp"

namespace stint {
namespace {

struct PoolChain {
  int relu = no_operation;
  int pool = no_operation;
  int pool_back = no_operation;
  int relu_back = no_operation;
};

// Every window has elements of the image, few enough to count them in a byte, and shares none with
// others: in which order gradients of several would be summed is the library's to know.
bool is_plain_pool(const MaxPool2d& pool) {
  bool is_plain =
      pool.dilation == Pair{1, 1} && !pool.ceil && pool.kernel[0] * pool.kernel[1] <= 64;
  for (const int axis : {0, 1}) {
    is_plain = is_plain && pool.stride[axis] >= pool.kernel[axis] &&
               2 * pool.padding[axis] <= pool.kernel[axis] &&
               2 * pool.padding[axis + 2] <= pool.kernel[axis];
  }
  return is_plain;
}

class Pools {
 public:
  explicit Pools(Training& training) : training_(training), links_(training) {}

  std::vector<PoolChain> find() const {
    std::vector<PoolChain> chains;
    for (int i = 0; i < links_.count(); ++i) {
      if (operation(i).op != "relu.forward") continue;
      PoolChain chain{.relu = i};
      if (is_plain_relu(*kind_of<Relu>(operation(i))) && add_back(chain) && add_pool(chain))
        chains.push_back(chain);
    }
    return chains;
  }

  void apply(const std::vector<PoolChain>& chains) {
    Replacements replaced;
    for (const PoolChain& chain : chains) {
      replaced.remove(chain.relu);
      replaced.remove(chain.pool_back);
      replaced.put(chain.pool, fused_forward(chain));
      replaced.put(chain.relu_back, fused_backward(chain));
    }
    replaced.apply(training_);
  }

 private:
  const Operation& operation(int i) const { return links_.operation(i); }

  bool add_back(PoolChain& chain) const {
    chain.relu_back = links_.reader_of_layer(operation(chain.relu).writes[0], "relu.backward",
                                             operation(chain.relu).layer);
    if (chain.relu_back == no_operation) return false;
    const ValueId gradient = operation(chain.relu_back).reads[1];
    chain.pool_back = links_.writer(gradient);
    return chain.pool_back != no_operation &&
           operation(chain.pool_back).op == "max_pool2d.backward" &&
           links_.is_read_by(gradient, {chain.relu_back});
  }

  bool add_pool(PoolChain& chain) const {
    const ValueId y = operation(chain.relu).writes[0];
    chain.pool = links_.only_reader(y, "max_pool2d.forward", {chain.relu_back});
    return chain.pool != no_operation && training_.values[y].channels_last &&
           training_.values[operation(chain.pool).writes[0]].channels_last &&
           is_plain_pool(*kind_of<MaxPool2d>(operation(chain.pool)));
  }

  Operation blank(const PoolChain& chain, const char* what, const Operation& like) const {
    Operation made;
    made.name =
        fmt::format("{}+{}.{}", operation(chain.relu).layer, operation(chain.pool).layer, what);
    made.op = fmt::format("relu_pool.{}", what);
    made.phase = like.phase;
    made.layer = operation(chain.relu).layer;
    made.origin = FusedPool{*kind_of<Relu>(operation(chain.relu)),
                            *kind_of<MaxPool2d>(operation(chain.pool))};
    return made;
  }

  Operation fused_forward(const PoolChain& chain) const {
    Operation made = blank(chain, "forward", operation(chain.pool));
    made.reads = operation(chain.relu).reads;
    made.writes = operation(chain.pool).writes;
    made.optional = operation(chain.pool).optional;
    made.effort = joint_effort(links_, {chain.relu, chain.pool});
    return made;
  }

  // Reads maxima, indices, and the gradient of the maxima.
  Operation fused_backward(const PoolChain& chain) const {
    Operation made = blank(chain, "backward", operation(chain.relu_back));
    const std::vector<ValueId>& pooled = operation(chain.pool).writes;
    made.reads = {pooled[0], pooled[1], operation(chain.pool_back).reads[1]};
    made.writes = operation(chain.relu_back).writes;
    made.effort = joint_effort(links_, {chain.pool_back, chain.relu_back});
    return made;
  }

  Training& training_;
  OperationLinks links_;
};

}  // namespace

bool fuse_pools(Training& training) {
  Pools pools(training);
  const std::vector<PoolChain> chains = pools.find();
  pools.apply(chains);
  return !chains.empty();
}

}  // namespace stint
