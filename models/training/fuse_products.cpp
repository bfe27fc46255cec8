// A convolution or linear layer with what follows it: a ReLU, a ReLU and maxima, or layers that
// work element by element. Forward, what the product makes of a leaf is worked on while it is in
// cache, in the place of the result; where maxima follow it is never more than workspace, and where
// backward reads it, it is a result too.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "models/training/fuse.hpp"
#include "models/training/fusions.hpp"

namespace stint {
namespace {

struct ProductChain {
  int product = no_operation;
  std::vector<int> then;  // what follows, in its order
  bool keeps_between = false;

  int last() const { return then.back(); }
};

class Products {
 public:
  Products(Training& training, const std::vector<std::string>& post_ops)
      : training_(training), links_(training), post_ops_(post_ops) {}

  // From the end on: of two products that are added, the later finds its own in cache.
  std::vector<ProductChain> find() const {
    std::vector<ProductChain> chains;
    std::set<int> taken;
    for (int i = links_.count(); i-- > 0;) {
      if (operation(i).op != "conv2d.forward" && operation(i).op != "linear.forward") continue;
      ProductChain chain{.product = i};
      while (add_next(chain, taken)) taken.insert(chain.last());
      if (!chain.then.empty()) chains.push_back(chain);
    }
    return chains;
  }

  void apply(const std::vector<ProductChain>& chains) {
    Replacements replaced;
    for (const ProductChain& chain : chains) {
      replaced.remove(chain.product);
      for (const int i : chain.then) replaced.remove(i);
      replaced.put(chain.last(), fused(chain));
    }
    replaced.apply(training_);
  }

 private:
  const Operation& operation(int i) const { return links_.operation(i); }

  bool is_asked_for(const char* post_op) const {
    return std::ranges::find(post_ops_, post_op) != post_ops_.end();
  }
  bool has(const ProductChain& chain, const char* op) const {
    return std::ranges::any_of(chain.then, [&](int i) { return operation(i).op == op; });
  }

  // Nothing follows a ReLU: what it makes is kept.
  bool add_next(ProductChain& chain, const std::set<int>& taken) const {
    if (has(chain, "relu.forward") || has(chain, "relu_pool.forward")) return false;
    const ValueId y = operation(chain.then.empty() ? chain.product : chain.last()).writes[0];
    const int next = next_of(chain, y);
    if (next == no_operation || taken.contains(next)) return false;
    chain.then.push_back(next);
    return true;
  }

  int next_of(ProductChain& chain, ValueId y) const {
    if (const int relu = links_.only_reader(y, "relu.forward"); relu != no_operation)
      return is_plain_relu(*kind_of<Relu>(operation(relu))) ? relu : no_operation;
    if (chain.then.empty()) {
      const int pool = links_.only_reader(y, "relu_pool.forward");
      if (pool != no_operation) return pool;
      if (const int gelu = gelu_of(chain, y); gelu != no_operation) return gelu;
    }
    for (const char* const layer : {"affine", "sigmoid", "tanh"}) {
      if (!is_asked_for(layer)) continue;
      const int next = links_.only_reader(y, std::string(layer) + ".forward");
      if (next != no_operation) return next;
    }
    return has(chain, "add.forward") ? no_operation : sum_of(y);
  }

  // The only one whose derivative is made of what it reads.
  int gelu_of(ProductChain& chain, ValueId y) const {
    if (!is_asked_for(gelu_post_op)) return no_operation;
    for (const int back : links_.readers(y)) {
      if (operation(back).op != "gelu.backward") continue;
      const int gelu = links_.only_reader(y, "gelu.forward", {back});
      const bool fits = gelu != no_operation && operation(gelu).layer == operation(back).layer;
      chain.keeps_between = fits;
      return fits ? gelu : no_operation;
    }
    return links_.only_reader(y, "gelu.forward");
  }

  // Of two of one shape.
  int sum_of(ValueId y) const {
    const int add = is_asked_for("add") ? links_.only_reader(y, "add.forward") : no_operation;
    if (add == no_operation) return no_operation;
    const std::vector<ValueId>& terms = operation(add).reads;
    if (terms.size() != 2 || terms[0] == terms[1]) return no_operation;
    const Value& a = training_.values[terms[0]];
    const Value& b = training_.values[terms[1]];
    return a.shape == b.shape && a.channels_last == b.channels_last ? add : no_operation;
  }

  // What is added to what was made so far.
  ValueId residual_of(const ProductChain& chain, std::size_t at) const {
    const std::vector<ValueId>& terms = operation(chain.then[at]).reads;
    return terms[0] == made_before(chain, at) ? terms[1] : terms[0];
  }
  ValueId made_before(const ProductChain& chain, std::size_t at) const {
    return operation(at == 0 ? chain.product : chain.then[at - 1]).writes[0];
  }

  FusedProduct origin(const ProductChain& chain) const {
    FusedProduct fused{.product = std::get<LayerKind>(operation(chain.product).origin)};
    fused.between = training_.values[operation(chain.product).writes[0]].shape;
    fused.keeps_between = chain.keeps_between;
    for (std::size_t i = 0; i < chain.then.size(); ++i) {
      const Operation& next = operation(chain.then[i]);
      if (const auto* pool = std::get_if<FusedPool>(&next.origin)) {
        fused.then.emplace_back(pool->rectifier);
        fused.pool = pool->pool;
        continue;
      }
      fused.then.push_back(std::get<LayerKind>(next.origin));
      if (next.op == "add.forward") fused.residual_first = next.reads[0] == residual_of(chain, i);
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

  static std::string op_of(const FusedProduct& fused) {
    std::string op = fmt::format("{}_then", op_name(fused.product));
    for (const LayerKind& layer : fused.then) op += fmt::format("_{}", op_name(layer));
    return op + (fused.pool ? "_pool.forward" : ".forward");
  }

  std::string name_of(const ProductChain& chain) const {
    std::string name = operation(chain.product).layer;
    for (const int i : chain.then)
      name += '+' + (i == chain.last() ? operation(i).name : operation(i).layer);
    return name;
  }

  // Reads what the product reads, then the residual, if there is one; writes the result, then what
  // the product made, if that is kept.
  Operation fused(const ProductChain& chain) const {
    Operation made = operation(chain.product);
    const FusedProduct both = origin(chain);
    made.name = name_of(chain);
    made.op = op_of(both);
    made.origin = both;
    made.writes = operation(chain.last()).writes;
    made.optional = operation(chain.last()).optional;
    made.may_overwrite.clear();
    for (std::size_t i = 0; i < chain.then.size(); ++i) {
      if (operation(chain.then[i]).op == "add.forward") made.reads.push_back(residual_of(chain, i));
    }
    if (chain.keeps_between) made.writes.push_back(operation(chain.product).writes[0]);
    std::vector<int> parts = {chain.product};
    parts.insert(parts.end(), chain.then.begin(), chain.then.end());
    made.effort = joint_effort(links_, parts);
    made.effort.workspace = workspace(chain, both.pool.has_value());
    return made;
  }

  Training& training_;
  OperationLinks links_;
  const std::vector<std::string>& post_ops_;
};

}  // namespace

bool fuse_products(Training& training, const std::vector<std::string>& post_ops) {
  Products products(training, post_ops);
  const std::vector<ProductChain> chains = products.find();
  products.apply(chains);
  return !chains.empty();
}

}  // namespace stint
