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

constexpr int none = no_operation;
constexpr std::int64_t float_bytes = 4;

// One norm and what follows it, by number.
struct Chain {
  int forward = none;
  int add = none;
  int relu = none;
  int relu_back = none;  // these three only where nothing is added
  int weights = none;
  int data = none;
};

class Norms {
 public:
  explicit Norms(Training& training) : training_(training), links_(training) {}

  // From the end on: of two norms that are added, the later finds its input in cache.
  std::vector<Chain> find() const {
    std::vector<Chain> chains;
    std::set<int> taken;  // ReLUs
    for (int i = links_.count(); i-- > 0;) {
      if (operation(i).op != "batch_norm.forward") continue;
      Chain chain{.forward = i};
      if ((add_relu(chain) || add_sum(chain)) && taken.insert(chain.relu).second)
        chains.push_back(chain);
    }
    return chains;
  }

  void apply(const std::vector<Chain>& chains) {
    Replacements replaced;
    for (const Chain& chain : chains) {
      for (const int i : {chain.forward, chain.add, chain.relu_back}) replaced.remove(i);
      replaced.put(chain.relu, fused_forward(chain));
      if (chain.weights != none) replaced.put(chain.weights, fused_weights(chain));
      if (chain.data != none) replaced.put(chain.data, fused_data(chain));
    }
    replaced.apply(training_);
  }

 private:
  const Operation& operation(int i) const { return links_.operation(i); }

  int plain_relu(ValueId of) const {
    const int relu = links_.only_reader(of, "relu.forward");
    return relu != none && is_plain_relu(*kind_of<Relu>(operation(relu))) ? relu : none;
  }

  bool add_relu(Chain& chain) const {
    chain.relu = plain_relu(operation(chain.forward).writes[0]);
    if (chain.relu == none) return false;
    chain.relu_back = links_.reader_of_layer(operation(chain.relu).writes[0], "relu.backward",
                                             operation(chain.relu).layer);
    if (chain.relu_back == none) return false;
    const ValueId dy = operation(chain.relu_back).writes[0];
    const std::string& layer = operation(chain.forward).layer;
    chain.weights = links_.reader_of_layer(dy, "batch_norm.backward_weights", layer);
    chain.data = links_.reader_of_layer(dy, "batch_norm.backward_data", layer);
    return chain.weights != none && links_.is_read_by(dy, {chain.weights, chain.data});
  }

  // Of two images of one shape.
  bool add_sum(Chain& chain) const {
    chain = {.forward = chain.forward};
    const ValueId y = operation(chain.forward).writes[0];
    chain.add = links_.only_reader(y, "add.forward");
    if (chain.add == none) return false;
    const std::vector<ValueId>& terms = operation(chain.add).reads;
    if (terms.size() != 2 || terms[0] == terms[1]) return false;
    const Value& a = training_.values[terms[0]];
    const Value& b = training_.values[terms[1]];
    if (a.shape != b.shape || a.channels_last != b.channels_last) return false;
    chain.relu = plain_relu(operation(chain.add).writes[0]);
    return chain.relu != none;
  }

  bool residual_first(const Chain& chain) const {
    return chain.add != none && operation(chain.add).reads[0] != operation(chain.forward).writes[0];
  }

  Operation blank(const Chain& chain, const char* what, const Operation& like) const {
    Operation made;
    const std::string sum = chain.add == none ? "" : "+" + operation(chain.add).layer;
    made.name = fmt::format("{}{}+{}.{}", operation(chain.forward).layer, sum,
                            operation(chain.relu).layer, what);
    made.op = fmt::format("batch_norm{}_relu.{}", chain.add == none ? "" : "_add", what);
    made.phase = like.phase;
    made.layer = like.layer;
    made.origin = FusedNorm{*kind_of<BatchNorm>(operation(chain.forward)),
                            *kind_of<Relu>(operation(chain.relu)), residual_first(chain)};
    made.averaged_over = like.averaged_over;
    made.combine = like.combine;
    return made;
  }

  // Reads statistics, weight, bias, input, and the residual if there is one.
  Operation fused_forward(const Chain& chain) const {
    Operation made = blank(chain, "forward", operation(chain.forward));
    made.reads = operation(chain.forward).reads;
    if (chain.add != none)
      made.reads.push_back(operation(chain.add).reads[residual_first(chain) ? 0 : 1]);
    made.writes = operation(chain.relu).writes;
    made.may_overwrite = {{made.writes[0], made.reads.back()}};
    made.effort = joint_effort(links_, {chain.forward, chain.add, chain.relu});
    return made;
  }

  ValueId weight(const Chain& chain) const { return operation(chain.forward).reads[1]; }
  ValueId bias(const Chain& chain) const { return operation(chain.forward).reads[2]; }
  ValueId gradient(const Chain& chain) const { return operation(chain.relu_back).reads[1]; }

  // Reads input, statistics, weight, bias, the result's gradient.
  Operation fused_weights(const Chain& chain) const {
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
  Operation fused_data(const Chain& chain) const {
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
  const std::vector<Chain> chains = norms.find();
  norms.apply(chains);
  return !chains.empty();
}

}  // namespace stint
