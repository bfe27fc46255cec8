#include "models/training/fuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "models/training/differentiate.hpp"
#include "models/training/small_convolution.hpp"

namespace stint {
namespace {

constexpr int none = -1;  // of operations

template <typename Kind>
const Kind* kind_of(const Operation& operation) {
  const auto* kind = std::get_if<LayerKind>(&operation.origin);
  return kind == nullptr ? nullptr : std::get_if<Kind>(kind);
}

bool is_pool_of_twos(const MaxPool2d& pool) {
  constexpr Pair two{2, 2};
  return pool.kernel == two && pool.stride == two && pool.padding == Padding{} &&
         pool.dilation == Pair{1, 1} && !pool.ceil;
}

// Not below all numbers, by which a maximum of none is told from others.
bool is_plain(const Relu& relu) {
  return relu.slope == 0 && relu.min > std::numeric_limits<float>::lowest();
}

// Both are of the batch, or 0; nobody counts further than an int64.
void add_to(Dimension& sum, Dimension more) {
  if (__builtin_add_overflow(sum.count, more.count, &sum.count))
    sum.count = std::numeric_limits<std::int64_t>::max();
  sum.per_sample = sum.per_sample || more.per_sample;
}

// The operations of one convolution and of what follows it, by number.
struct Chain {
  int forward = none;
  int relu = none;
  int pool = none;
  int reorder = none;  // of the result
  int reorder_back = none;
  int pool_back = none;
  int relu_back = none;
  int weights = none;
  int data = none;
  int reorder_input = none;
};

class Fusions {
 public:
  explicit Fusions(Training& training)
      : training_(training),
        readers_(training.values.size()),
        writer_(training.values.size(), none),
        is_viewed_(training.values.size(), false) {
    for (int i = 0; i < static_cast<int>(training.operations.size()); ++i) {
      for (const ValueId read : operation(i).reads) readers_[read].push_back(i);
      for (const ValueId written : operation(i).writes) writer_[written] = i;
    }
    for (const Value& value : training.values) {
      if (value.same_bytes != no_value) is_viewed_[value.same_bytes] = true;
    }
  }

  std::vector<Chain> find() const {
    std::vector<Chain> chains;
    for (int i = 0; i < static_cast<int>(training_.operations.size()); ++i) {
      if (const auto chain = chain_from(i)) chains.push_back(*chain);
    }
    return chains;
  }

  void apply(const std::vector<Chain>& chains) {
    std::vector<bool> is_gone(training_.operations.size(), false);
    for (const Chain& chain : chains) {
      Operation forward = fused_forward(chain);
      Operation backward = fused_backward(chain);
      for (const int i :
           {chain.forward, chain.relu, chain.pool, chain.reorder, chain.reorder_back,
            chain.pool_back, chain.relu_back, chain.weights, chain.data, chain.reorder_input}) {
        if (i != none) is_gone[i] = true;
      }
      // Where all that they read is there, and nobody has read what they write.
      const int last = std::max({chain.forward, chain.relu, chain.pool});
      const int first = chain.data == none ? chain.weights : std::min(chain.data, chain.weights);
      training_.operations[last] = std::move(forward);
      training_.operations[first] = std::move(backward);
      is_gone[last] = is_gone[first] = false;
    }
    int at = 0;
    std::erase_if(training_.operations, [&](const Operation&) { return is_gone[at++]; });
  }

 private:
  const Operation& operation(int i) const { return training_.operations[i]; }

  // Who reads the value beside `but`, if that is one operation of this name.
  int only_reader(ValueId value, std::string_view op, std::vector<int> but = {}) const {
    int found = none;
    if (is_viewed_[value]) return none;
    for (const int reader : readers_[value]) {
      if (std::ranges::find(but, reader) != but.end()) continue;
      if (found != none || operation(reader).op != op) return none;
      found = reader;
    }
    return found;
  }
  bool is_read_by(ValueId value, const std::vector<int>& readers) const {
    return !is_viewed_[value] && std::ranges::all_of(readers_[value], [&](int reader) {
      return std::ranges::find(readers, reader) != readers.end();
    });
  }

  std::optional<Chain> chain_from(int i) const {
    const auto* layer = kind_of<Conv2d>(operation(i));
    if (layer == nullptr || operation(i).op != "conv2d.forward") return std::nullopt;
    const Shape& x = training_.values[operation(i).reads[0]].shape;
    if (!is_small_convolution(*layer, x[1].count)) return std::nullopt;
    Chain chain{.forward = i};
    if (!add_relu(chain)) return std::nullopt;
    add_pool(chain);
    add_reorders(chain);
    add_input_reorder(chain);
    return chain;
  }

  bool add_relu(Chain& chain) const {
    const ValueId y = operation(chain.forward).writes[0];
    chain.relu = only_reader(y, "relu.forward");
    if (chain.relu == none || !is_plain(*kind_of<Relu>(operation(chain.relu)))) return false;
    for (const int reader : readers_[operation(chain.relu).writes[0]]) {
      if (operation(reader).op == "relu.backward" &&
          operation(reader).layer == operation(chain.relu).layer)
        chain.relu_back = reader;
    }
    return chain.relu_back != none && add_convolution_back(chain);
  }

  bool add_convolution_back(Chain& chain) const {
    const ValueId dy = operation(chain.relu_back).writes[0];
    for (const int reader : readers_[dy]) {
      if (operation(reader).op == "conv2d.backward_weights") chain.weights = reader;
      if (operation(reader).op == "conv2d.backward_data") chain.data = reader;
    }
    return chain.weights != none && is_read_by(dy, {chain.weights, chain.data});
  }

  void add_pool(Chain& chain) const {
    const ValueId y = operation(chain.relu).writes[0];
    const int pool = only_reader(y, "max_pool2d.forward", {chain.relu_back});
    if (pool == none || !is_pool_of_twos(*kind_of<MaxPool2d>(operation(pool)))) return;
    const int back = writer_[operation(chain.relu_back).reads[1]];
    if (back == none || operation(back).op != "max_pool2d.backward" ||
        !is_read_by(operation(back).writes[0], {chain.relu_back}))
      return;
    chain.pool = pool;
    chain.pool_back = back;
  }

  int last_forward(const Chain& chain) const {
    return chain.pool == none ? chain.relu : chain.pool;
  }
  int first_back(const Chain& chain) const {
    return chain.pool_back == none ? chain.relu_back : chain.pool_back;
  }
  // Of the result, as the last layer of the chain is given it.
  ValueId gradient(const Chain& chain) const { return operation(first_back(chain)).reads[1]; }

  // The result may be written in another order right away, if its gradient comes in that order.
  void add_reorders(Chain& chain) const {
    const ValueId y = operation(last_forward(chain)).writes[0];
    const int reorder = only_reader(y, "reorder", {chain.relu_back});
    const ValueId dy = gradient(chain);
    const int back = writer_[dy];
    if (reorder == none || back == none || operation(back).op != "reorder" ||
        !is_read_by(dy, {first_back(chain)}))
      return;
    chain.reorder = reorder;
    chain.reorder_back = back;
  }

  void add_input_reorder(Chain& chain) const {
    const ValueId x = operation(chain.forward).reads[0];
    const int reorder = writer_[x];
    if (chain.data != none || reorder == none || operation(reorder).op != "reorder") return;
    if (is_read_by(x, {chain.forward, chain.weights})) chain.reorder_input = reorder;
  }

  ValueId input(const Chain& chain) const {
    return operation(chain.reorder_input == none ? chain.forward : chain.reorder_input).reads[0];
  }
  ValueId result(const Chain& chain) const {
    return operation(chain.reorder == none ? last_forward(chain) : chain.reorder).writes[0];
  }
  ValueId result_gradient(const Chain& chain) const {
    return chain.reorder_back == none ? gradient(chain) : operation(chain.reorder_back).reads[0];
  }

  Operation blank(const Chain& chain, const char* what, Phase phase) const {
    const bool pools = chain.pool != none;
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
  void add_efforts(std::initializer_list<int> parts, Effort& sum) const {
    for (const int part : parts) {
      if (part == none) continue;
      const Effort& effort = operation(part).effort;
      sum.products.insert(sum.products.end(), effort.products.begin(), effort.products.end());
      add_to(sum.element_flops, effort.element_flops);
      add_to(sum.patch_elements, effort.patch_elements);
    }
  }

  Operation fused_forward(const Chain& chain) const {
    Operation made = blank(chain, "forward", Phase::forward);
    made.reads = operation(chain.forward).reads;
    made.reads[0] = input(chain);
    made.writes = {result(chain)};
    if (chain.pool != none) {
      const ValueId indices = operation(chain.pool).writes[1];
      training_.values[indices].channels_last = training_.values[result(chain)].channels_last;
      made.writes.push_back(indices);
      made.optional = {indices};
    }
    add_efforts({chain.forward, chain.relu, chain.pool}, made.effort);
    made.effort.workspace = operation(chain.forward).effort.workspace;
    return made;
  }

  // Reads input, result and its gradient, indices if there are any, and the weight if the gradient
  // of the input is wanted; writes the gradients of weight, bias and input.
  Operation fused_backward(const Chain& chain) const {
    Operation made = blank(chain, "backward", Phase::backward);
    made.reads = {input(chain), result(chain), result_gradient(chain)};
    if (chain.pool != none) made.reads.push_back(operation(chain.pool).writes[1]);
    made.writes = operation(chain.weights).writes;
    if (chain.data != none) {
      made.reads.push_back(operation(chain.data).reads[0]);
      made.writes.push_back(operation(chain.data).writes[0]);
    }
    add_efforts({chain.pool_back, chain.relu_back, chain.weights, chain.data}, made.effort);
    made.effort.workspace = operation(chain.forward).effort.workspace;
    return made;
  }

  Training& training_;
  std::vector<std::vector<int>> readers_;  // by value
  std::vector<int> writer_;
  std::vector<bool> is_viewed_;
};

}  // namespace

void fuse(Training& training) {
  Fusions fusions(training);
  fusions.apply(fusions.find());
}

bool can_fuse(const Network& network, ImageLayout layout) {
  Training training = differentiate(network, layout);
  return !Fusions(training).find().empty();
}

}  // namespace stint
