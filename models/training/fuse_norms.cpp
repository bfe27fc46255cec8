// Batch norms with the ReLU after them. Forward, what the norm makes is never written; a residual
// may be added on the way. Backward, where there is none, the ReLU is computed again from the
// norm's input, which backward reads anyway: instead of eight passes over the image's gradients and
// activations there are five, and nothing is kept for the ReLU alone.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/training/fusions.hpp"

namespace stint {
namespace {

// One norm and what follows it, by number.
struct NormChain {
  int forward = no_operation;
  int add = no_operation;
  int relu = no_operation;
  int relu_back = no_operation;  // these three only where nothing is added
  int weights = no_operation;
  int data = no_operation;
};

class Norms {
 public:
  explicit Norms(Training& training) : training_(training), links_(training) {}

  // From the end on: of two norms that are added, the later finds its input in cache.
  std::vector<NormChain> find() const {
    std::vector<NormChain> chains;
    std::set<int> taken;  // ReLUs
    for (int i = links_.count(); i-- > 0;) {
      if (operation(i).op != "batch_norm.forward") continue;
      NormChain chain{.forward = i};
      if ((add_relu(chain) || add_sum(chain)) && taken.insert(chain.relu).second)
        chains.push_back(chain);
    }
    return chains;
  }

  void apply(const std::vector<NormChain>& chains) {
    Replacements replaced;
    for (const NormChain& chain : chains) {
      for (const int i : {chain.forward, chain.add, chain.relu_back}) replaced.remove(i);
      replaced.put(chain.relu, fused_forward(chain));
      if (chain.weights != no_operation) replaced.put(chain.weights, fused_weights(chain));
      if (chain.data != no_operation) replaced.put(chain.data, fused_data(chain));
    }
    replaced.apply(training_);
  }

 private:
  const Operation& operation(int i) const { return links_.operation(i); }

  int plain_relu(ValueId of) const {
    const int relu = links_.only_reader(of, "relu.forward");
    return relu != no_operation && is_plain_relu(*kind_of<Relu>(operation(relu))) ? relu
                                                                                  : no_operation;
  }

  bool add_relu(NormChain& chain) const {
    chain.relu = plain_relu(operation(chain.forward).writes[0]);
    if (chain.relu == no_operation) return false;
    chain.relu_back = links_.reader_of_layer(operation(chain.relu).writes[0], "relu.backward",
                                             operation(chain.relu).layer);
    if (chain.relu_back == no_operation) return false;
    const ValueId dy = operation(chain.relu_back).writes[0];
    const std::string& layer = operation(chain.forward).layer;
    chain.weights = links_.reader_of_layer(dy, "batch_norm.backward_weights", layer);
    chain.data = links_.reader_of_layer(dy, "batch_norm.backward_data", layer);
    return chain.weights != no_operation && links_.is_read_by(dy, {chain.weights, chain.data});
  }

  // Of two images of one shape.
  bool add_sum(NormChain& chain) const {
    chain = {.forward = chain.forward};
    const ValueId y = operation(chain.forward).writes[0];
    chain.add = links_.only_reader(y, "add.forward");
    if (chain.add == no_operation) return false;
    const std::vector<ValueId>& terms = operation(chain.add).reads;
    if (terms.size() != 2 || terms[0] == terms[1]) return false;
    const Value& a = training_.values[terms[0]];
    const Value& b = training_.values[terms[1]];
    if (a.shape != b.shape || a.channels_last != b.channels_last) return false;
    chain.relu = plain_relu(operation(chain.add).writes[0]);
    return chain.relu != no_operation;
  }

  bool residual_first(const NormChain& chain) const {
    return chain.add != no_operation &&
           operation(chain.add).reads[0] != operation(chain.forward).writes[0];
  }

  Operation blank(const NormChain& chain, const char* what, const Operation& like) const {
    Operation made;
    const std::string sum = chain.add == no_operation ? "" : "+" + operation(chain.add).layer;
    made.name = fmt::format("{}{}+{}.{}", operation(chain.forward).layer, sum,
                            operation(chain.relu).layer, what);
    made.op = fmt::format("batch_norm{}_relu.{}", chain.add == no_operation ? "" : "_add", what);
    made.phase = like.phase;
    made.layer = like.layer;
    made.origin = FusedNorm{*kind_of<BatchNorm>(operation(chain.forward)),
                            *kind_of<Relu>(operation(chain.relu)), residual_first(chain)};
    made.averaged_over = like.averaged_over;
    made.combine = like.combine;
    return made;
  }

  // Reads statistics, weight, bias, input, and the residual if there is one.
  Operation fused_forward(const NormChain& chain) const {
    Operation made = blank(chain, "forward", operation(chain.forward));
    made.reads = operation(chain.forward).reads;
    if (chain.add != no_operation)
      made.reads.push_back(operation(chain.add).reads[residual_first(chain) ? 0 : 1]);
    made.writes = operation(chain.relu).writes;
    made.may_overwrite = {{made.writes[0], made.reads.back()}};
    made.effort = joint_effort(links_, {chain.forward, chain.add, chain.relu});
    return made;
  }

  ValueId weight(const NormChain& chain) const { return operation(chain.forward).reads[1]; }
  ValueId bias(const NormChain& chain) const { return operation(chain.forward).reads[2]; }
  ValueId gradient(const NormChain& chain) const { return operation(chain.relu_back).reads[1]; }

  // Reads input, statistics, weight, bias, the result's gradient.
  Operation fused_weights(const NormChain& chain) const {
    const Operation& alone = operation(chain.weights);
    Operation made = blank(chain, "backward_weights", alone);
    made.reads = {alone.reads[0], alone.reads[1], weight(chain), bias(chain), gradient(chain)};
    made.writes = alone.writes;
    made.effort = joint_effort(links_, {chain.weights, chain.relu_back, chain.forward});
    made.effort.workspace.bytes =
        aligned_workspace(float_bytes * training_.values[weight(chain)].shape[0].count);
    return made;
  }

  // Reads input, statistics, weight, bias, the gradients of both, the result's gradient.
  Operation fused_data(const NormChain& chain) const {
    const Operation& alone = operation(chain.data);
    Operation made = blank(chain, "backward_data", alone);
    made.reads = {alone.reads[0], alone.reads[1], weight(chain),  bias(chain),
                  alone.reads[3], alone.reads[4], gradient(chain)};
    made.writes = alone.writes;
    made.may_overwrite = {{made.writes[0], made.reads.back()}};
    made.effort = joint_effort(links_, {chain.data, chain.relu_back, chain.forward});
    return made;
  }

  Training& training_;
  OperationLinks links_;
};

}  // namespace

bool fuse_norms(Training& training) {
  Norms norms(training);
  const std::vector<NormChain> chains = norms.find();
  norms.apply(chains);
  return !chains.empty();
}

}  // namespace stint
