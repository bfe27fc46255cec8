// Small convolutions with the ReLU after them, and the 2 × 2 maxima after that.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "models/training/fusions.hpp"
#include "models/training/small_convolution.hpp"

namespace stint {
namespace {

bool is_pool_of_twos(const MaxPool2d& pool) {
  constexpr Pair two{2, 2};
  return pool.kernel == two && pool.stride == two && pool.padding == Padding{} &&
         pool.dilation == Pair{1, 1} && !pool.ceil;
}

// The operations of one convolution and of what follows it, by number.
struct ConvolutionChain {
  int forward = no_operation;
  int relu = no_operation;
  int pool = no_operation;
  int reorder = no_operation;  // of the result
  int reorder_back = no_operation;
  int pool_back = no_operation;
  int relu_back = no_operation;
  int weights = no_operation;
  int data = no_operation;
  int reorder_input = no_operation;
};

class Fusions {
 public:
  explicit Fusions(Training& training) : training_(training), links_(training) {}

  std::vector<ConvolutionChain> find() const {
    std::vector<ConvolutionChain> chains;
    for (int i = 0; i < links_.count(); ++i) {
      if (const auto chain = chain_from(i)) chains.push_back(*chain);
    }
    return chains;
  }

  void apply(const std::vector<ConvolutionChain>& chains) {
    Replacements replaced;
    for (const ConvolutionChain& chain : chains) {
      for (const int i :
           {chain.forward, chain.relu, chain.pool, chain.reorder, chain.reorder_back,
            chain.pool_back, chain.relu_back, chain.weights, chain.data, chain.reorder_input})
        replaced.remove(i);
      // Where all that they read is there, and nobody has read what they write.
      const int last = std::max({chain.forward, chain.relu, chain.pool});
      const int first =
          chain.data == no_operation ? chain.weights : std::min(chain.data, chain.weights);
      replaced.put(last, fused_forward(chain));
      replaced.put(first, fused_backward(chain));
    }
    replaced.apply(training_);
  }

 private:
  const Operation& operation(int i) const { return links_.operation(i); }

  std::optional<ConvolutionChain> chain_from(int i) const {
    const auto* layer = kind_of<Conv2d>(operation(i));
    if (layer == nullptr || operation(i).op != "conv2d.forward") return std::nullopt;
    const Shape& x = training_.values[operation(i).reads[0]].shape;
    if (!is_small_convolution(*layer, x[1].count)) return std::nullopt;
    ConvolutionChain chain{.forward = i};
    if (!add_relu(chain)) return std::nullopt;
    add_pool(chain);
    add_reorders(chain);
    add_input_reorder(chain);
    return chain;
  }

  bool add_relu(ConvolutionChain& chain) const {
    const ValueId y = operation(chain.forward).writes[0];
    chain.relu = links_.only_reader(y, "relu.forward");
    if (chain.relu == no_operation || !is_plain_relu(*kind_of<Relu>(operation(chain.relu))))
      return false;
    chain.relu_back = links_.reader_of_layer(operation(chain.relu).writes[0], "relu.backward",
                                             operation(chain.relu).layer);
    return chain.relu_back != no_operation && add_convolution_back(chain);
  }

  bool add_convolution_back(ConvolutionChain& chain) const {
    const ValueId dy = operation(chain.relu_back).writes[0];
    for (const int reader : links_.readers(dy)) {
      if (operation(reader).op == "conv2d.backward_weights") chain.weights = reader;
      if (operation(reader).op == "conv2d.backward_data") chain.data = reader;
    }
    return chain.weights != no_operation && links_.is_read_by(dy, {chain.weights, chain.data});
  }

  void add_pool(ConvolutionChain& chain) const {
    const ValueId y = operation(chain.relu).writes[0];
    const int pool = links_.only_reader(y, "max_pool2d.forward", {chain.relu_back});
    if (pool == no_operation || !is_pool_of_twos(*kind_of<MaxPool2d>(operation(pool)))) return;
    const int back = links_.writer(operation(chain.relu_back).reads[1]);
    if (back == no_operation || operation(back).op != "max_pool2d.backward" ||
        !links_.is_read_by(operation(back).writes[0], {chain.relu_back}))
      return;
    chain.pool = pool;
    chain.pool_back = back;
  }

  int last_forward(const ConvolutionChain& chain) const {
    return chain.pool == no_operation ? chain.relu : chain.pool;
  }
  int first_back(const ConvolutionChain& chain) const {
    return chain.pool_back == no_operation ? chain.relu_back : chain.pool_back;
  }
  // Of the result, as the last layer of the chain is given it.
  ValueId gradient(const ConvolutionChain& chain) const {
    return operation(first_back(chain)).reads[1];
  }

  // The result may be written in another order right away, if its gradient comes in that order.
  void add_reorders(ConvolutionChain& chain) const {
    const ValueId y = operation(last_forward(chain)).writes[0];
    const int reorder = links_.only_reader(y, "reorder", {chain.relu_back});
    const ValueId dy = gradient(chain);
    const int back = links_.writer(dy);
    if (reorder == no_operation || back == no_operation || operation(back).op != "reorder" ||
        !links_.is_read_by(dy, {first_back(chain)}))
      return;
    chain.reorder = reorder;
    chain.reorder_back = back;
  }

  void add_input_reorder(ConvolutionChain& chain) const {
    const ValueId x = operation(chain.forward).reads[0];
    const int reorder = links_.writer(x);
    if (chain.data != no_operation || reorder == no_operation || operation(reorder).op != "reorder")
      return;
    if (links_.is_read_by(x, {chain.forward, chain.weights})) chain.reorder_input = reorder;
  }

  ValueId input(const ConvolutionChain& chain) const {
    return operation(chain.reorder_input == no_operation ? chain.forward : chain.reorder_input)
        .reads[0];
  }
  ValueId result(const ConvolutionChain& chain) const {
    return operation(chain.reorder == no_operation ? last_forward(chain) : chain.reorder).writes[0];
  }
  ValueId result_gradient(const ConvolutionChain& chain) const {
    return chain.reorder_back == no_operation ? gradient(chain)
                                              : operation(chain.reorder_back).reads[0];
  }

  Operation blank(const ConvolutionChain& chain, const char* what, Phase phase) const {
    const bool pools = chain.pool != no_operation;
    Operation made;
    made.name = fmt::format("{}+{}", operation(chain.forward).layer, operation(chain.relu).layer);
    if (pools) made.name += "+" + operation(chain.pool).layer;
    made.name += fmt::format(".{}", what);
    made.op = fmt::format("conv2d_relu{}.{}", pools ? "_pool" : "", what);
    made.phase = phase;
    made.layer = operation(chain.forward).layer;
    made.origin = FusedConvolution{*kind_of<Conv2d>(operation(chain.forward)),
                                   *kind_of<Relu>(operation(chain.relu)), pools};
    return made;
  }

  // What they do together, in the workspace of the convolution.
  Effort effort_of(const ConvolutionChain& chain, const std::vector<int>& parts) const {
    Effort effort = joint_effort(links_, parts);
    effort.workspace = operation(chain.forward).effort.workspace;
    return effort;
  }

  Operation fused_forward(const ConvolutionChain& chain) const {
    Operation made = blank(chain, "forward", Phase::forward);
    made.reads = operation(chain.forward).reads;
    made.reads[0] = input(chain);
    made.writes = {result(chain)};
    if (chain.pool != no_operation) {
      const ValueId indices = operation(chain.pool).writes[1];
      training_.values[indices].channels_last = training_.values[result(chain)].channels_last;
      made.writes.push_back(indices);
      made.optional = {indices};
    }
    made.effort = effort_of(chain, {chain.forward, chain.relu, chain.pool});
    return made;
  }

  // Reads input, result and its gradient, indices if there are any, and the weight if the gradient
  // of the input is wanted; writes the gradients of weight, bias and input.
  Operation fused_backward(const ConvolutionChain& chain) const {
    Operation made = blank(chain, "backward", Phase::backward);
    made.reads = {input(chain), result(chain), result_gradient(chain)};
    if (chain.pool != no_operation) made.reads.push_back(operation(chain.pool).writes[1]);
    made.writes = operation(chain.weights).writes;
    if (chain.data != no_operation) {
      made.reads.push_back(operation(chain.data).reads[0]);
      made.writes.push_back(operation(chain.data).writes[0]);
    }
    made.effort = effort_of(chain, {chain.pool_back, chain.relu_back, chain.weights, chain.data});
    return made;
  }

  Training& training_;
  OperationLinks links_;
};

}  // namespace

bool fuse_convolutions(Training& training) {
  Fusions fusions(training);
  const std::vector<ConvolutionChain> chains = fusions.find();
  fusions.apply(chains);
  return !chains.empty();
}

}  // namespace stint
