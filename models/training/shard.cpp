#include "models/training/shard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "files/input_error.hpp"
#include "models/training/sharded_values.hpp"
#include "models/training/tree.hpp"

namespace stint {
namespace {

bool is_element_wise(const LayerKind& kind) {
  return std::holds_alternative<Relu>(kind) || std::holds_alternative<Gelu>(kind) ||
         std::holds_alternative<Sigmoid>(kind) || std::holds_alternative<Tanh>(kind) ||
         std::holds_alternative<Affine>(kind);
}

bool keeps_channels_apart(const LayerKind& kind) {
  return std::holds_alternative<MaxPool2d>(kind) || std::holds_alternative<AvgPool2d>(kind) ||
         std::holds_alternative<GlobalAvgPool>(kind) || std::holds_alternative<BatchNorm>(kind);
}

class Sharding {
 public:
  Sharding(const Network& network, const std::vector<Shard>& shards)
      : network_(network), values_(network, made_.network.layers, made_.layer_of) {
    made_.types = infer(network);
    made_.network = network;
    made_.network.layers.clear();
    for (const Layer& layer : network.layers) {
      names_.insert(layer.name);
      for (const std::string& input : layer.inputs) readers_[input].push_back(&layer);
      if (const auto* linear = std::get_if<Linear>(&layer.kind)) shared_.insert(linear->weight_of);
    }
    for (std::size_t i = 0; i < shards.size(); ++i) note(shards[i], i);
  }

  ShardedNetwork make() {
    for (std::size_t i = 0; i < network_.layers.size(); ++i) {
      layer_ = &network_.layers[i];
      types_ = &made_.types.layers[i];
      values_.begin(layer_->name);
      const auto asked = asked_.find(layer_->name);
      if (asked != asked_.end() && asked->second.shard->count > 1)
        add_shards(asked->second);
      else if (!pass_shards())
        add_whole();
    }
    values_.begin("loss");
    for (std::string& input : made_.network.loss.inputs) input = values_.whole(input);
    return std::move(made_);
  }

 private:
  struct Asked {
    const Shard* shard = nullptr;
    std::string where;
  };

  void note(const Shard& shard, std::size_t i) {
    const std::string where = fmt::format("/lowering/shards/{}", i);
    if (!names_.contains(shard.layer))
      throw InputError(where,
                       fmt::format("no layer is named {}; expected one", in_quotes(shard.layer)));
    if (!asked_.emplace(shard.layer, Asked{&shard, where}).second)
      throw InputError(where,
                       fmt::format("{} is cut twice; expected once", in_quotes(shard.layer)));
  }

  [[noreturn]] static void fail(const Asked& asked, const std::string& fault) {
    throw InputError(asked.where, fmt::format("{} of {}: {}", to_string(asked.shard->by),
                                              in_quotes(asked.shard->layer), fault));
  }

  void add_shards(const Asked& asked) {
    const ShardBy by = asked.shard->by;
    if (const auto* linear = std::get_if<Linear>(&layer_->kind)) {
      expect_own_weight(*linear, asked);
      if (by == ShardBy::columns) return add_columns(*linear, asked);
      if (by == ShardBy::rows) return add_rows(*linear, asked);
      fail(asked, "a linear layer has none; expected columns or rows");
    }
    const auto* convolution = std::get_if<Conv2d>(&layer_->kind);
    if (convolution != nullptr && by == ShardBy::channels) return add_channels(*convolution, asked);
    const auto* attention = std::get_if<Attention>(&layer_->kind);
    if (attention != nullptr && by == ShardBy::heads) return add_heads(*attention, asked);
    fail(asked, fmt::format("it is a {}; expected columns or rows of a linear layer, channels of a "
                            "conv2d, heads of an attention",
                            op_name(layer_->kind)));
  }

  // Columns of a weight that others use whole are parts of it; nothing else can be shared.
  void expect_own_weight(const Linear& linear, const Asked& asked) {
    if (shared_.contains(layer_->name))
      fail(asked, "others share its weight; expected a layer with a weight of its own");
    if (linear.weight_of.empty()) return;
    if (asked.shard->by != ShardBy::columns)
      fail(asked, "it shares its weight; expected columns, or a layer with a weight of its own");
    if (!shared_in_shards_.insert(linear.weight_of).second)
      fail(asked, fmt::format("the weight of {} is in shards already; expected it once",
                              in_quotes(linear.weight_of)));
  }

  // Each group of features, where the only reader splits them, is cut like the others, so that
  // shard i has its part of every group: queries, keys and values of its heads.
  void add_columns(const Linear& linear, const Asked& asked) {
    const std::int64_t count = asked.shard->count;
    const std::int64_t groups = groups_of(linear);
    const std::int64_t features = linear.features / groups;
    if (features < count)
      fail(asked,
           fmt::format("{} shards of {} features; expected no more shards", count, features));
    const std::vector<std::string> inputs = values_.spread(values_.whole(layer_->inputs[0]), count);
    ValueShards& output = new_shards(types_->outputs[0].shape.size() - 1);
    for (std::int64_t group = 0; group < groups; ++group) {
      for (std::int64_t i = 0; i < count; ++i) {
        const ShardExtent in_group = equal_extents(features, count)[i];
        const ShardExtent extent{group * features + in_group.begin,
                                 group * features + in_group.end};
        Linear kind = linear;
        kind.features = extent.count();
        kind.weight_of.clear();
        const std::string name = shard_name("columns", extent);
        values_.add(name, kind, {inputs[i]});
        note_parts(name, 0, extent);
        if (!linear.weight_of.empty())
          made_.parts[name + ".weight"] = {linear.weight_of + ".weight", 0, extent.begin,
                                           extent.end, true};
        output.pieces.push_back({name, extent});
      }
    }
  }

  std::int64_t groups_of(const Linear& linear) const {
    const auto readers = readers_.find(output_names(*layer_)[0]);
    if (readers == readers_.end() || readers->second.size() != 1) return 1;
    const auto* split = std::get_if<Split>(&readers->second[0]->kind);
    const Shape& shape = types_->outputs[0].shape;
    if (split == nullptr || axis_of(split->axis, shape) + 1 != shape.size()) return 1;
    const std::set<std::int64_t> sizes(split->sizes.begin(), split->sizes.end());
    return sizes.size() == 1 ? linear.features / *sizes.begin() : 1;
  }

  void add_channels(const Conv2d& convolution, const Asked& asked) {
    const std::int64_t count = asked.shard->count;
    if (convolution.groups != 1)
      fail(asked, fmt::format("it has {} groups; expected 1", convolution.groups));
    if (convolution.filters < count)
      fail(asked, fmt::format("{} shards of {} channels; expected no more shards", count,
                              convolution.filters));
    const std::vector<std::string> inputs = values_.spread(values_.whole(layer_->inputs[0]), count);
    ValueShards& output = new_shards(1);
    for (std::int64_t i = 0; i < count; ++i) {
      const ShardExtent extent = equal_extents(convolution.filters, count)[i];
      Conv2d kind = convolution;
      kind.filters = extent.count();
      const std::string name = shard_name("channels", extent);
      values_.add(name, kind, {inputs[i]});
      note_parts(name, 0, extent);
      output.pieces.push_back({name, extent});
    }
  }

  void add_rows(const Linear& linear, const Asked& asked) {
    const std::int64_t count = asked.shard->count;
    const Shape& shape = types_->inputs[0].shape;
    const std::int64_t width = shape.back().count;
    if (width % count != 0 || width / count < 2)
      fail(asked,
           fmt::format("{} shards of {} inputs; expected a divisor below that", count, width));
    const auto extents = equal_extents(width, count);
    const std::vector<std::string> inputs =
        values_.apart(layer_->inputs[0], shape.size() - 1, extents);
    std::vector<std::string> nodes;
    for (std::int64_t i = 0; i < count; ++i) {
      Linear kind = linear;
      kind.bias = linear.bias && i == 0;
      const std::string name = shard_name("rows", extents[i]);
      values_.add(name, kind, {inputs[i]});
      made_.parts[name + ".weight"] = {layer_->name + ".weight", 1, extents[i].begin,
                                       extents[i].end};
      if (kind.bias) made_.parts[name + ".bias"] = {layer_->name + ".bias", 0, 0, linear.features};
      nodes.push_back(name);
    }
    for (const TreeMerge& merge : dyadic_merges(static_cast<int>(count))) {
      const bool last = static_cast<std::int64_t>(nodes.size()) == 2 * count - 2;
      const ShardExtent extent{extents[merge.begin].begin, extents[merge.end - 1].end};
      const std::string name = last ? layer_->name : shard_name("rows", extent) + ".sum";
      const auto outputs = last ? layer_->outputs : std::vector<std::string>{};
      values_.add(name, Add{}, {nodes[merge.left], nodes[merge.right]}, outputs);
      nodes.push_back(name);
    }
  }

  void add_heads(const Attention& attention, const Asked& asked) {
    const std::int64_t count = asked.shard->count;
    if (attention.heads % count != 0)
      fail(asked, fmt::format("{} shards of {} heads; expected a divisor", count, attention.heads));
    std::vector<std::vector<std::string>> inputs(count);
    for (std::size_t i = 0; i < layer_->inputs.size(); ++i) {
      const auto extents = equal_extents(types_->inputs[i].shape[2].count, count);
      const auto shards = values_.apart(layer_->inputs[i], 2, extents);
      for (std::int64_t s = 0; s < count; ++s) inputs[s].push_back(shards[s]);
    }
    ValueShards& output = new_shards(2);
    const auto extents = equal_extents(types_->outputs[0].shape[2].count, count);
    for (std::int64_t i = 0; i < count; ++i) {
      Attention kind = attention;
      kind.heads /= count;
      const std::string name = shard_name("heads", {i * kind.heads, (i + 1) * kind.heads});
      values_.add(name, kind, inputs[i]);
      output.pieces.push_back({name, extents[i]});
    }
  }

  // A layer that nobody asked to cut, whose input is in shards that it can take one by one.
  bool pass_shards() {
    const ValueShards* const made = values_.find(layer_->inputs[0]);
    if (made == nullptr || layer_->inputs.size() != 1) return false;
    const ValueShards input = *made;
    if (const auto* split = std::get_if<Split>(&layer_->kind)) return pass_split(*split, input);
    const bool keeps = keeps_channels_apart(layer_->kind) && input.axis == 1;
    if (!is_element_wise(layer_->kind) && !keeps) return false;
    ValueShards& output = new_shards(input.axis);
    for (const ValueShards::Piece& piece : input.pieces) {
      const std::string name =
          fmt::format("{}[{}:{}]", layer_->name, piece.extent.begin, piece.extent.end);
      values_.add(name, layer_->kind, {piece.value});
      note_parts(name, 0, piece.extent);
      output.pieces.push_back({name, piece.extent});
    }
    return true;
  }

  // At the ends of shards there is nothing to split.
  bool pass_split(const Split& split, const ValueShards& input) {
    if (axis_of(split.axis, types_->inputs[0].shape) != input.axis) return false;
    std::vector<ValueShards> outputs;
    std::int64_t begin = 0;
    std::size_t next = 0;
    for (const std::int64_t size : split.sizes) {
      ValueShards output{.axis = input.axis};
      while (next < input.pieces.size() && input.pieces[next].extent.end <= begin + size) {
        const auto& [value, extent] = input.pieces[next++];
        output.pieces.push_back({value, {extent.begin - begin, extent.end - begin}});
      }
      begin += size;
      if (output.pieces.empty() || output.pieces.back().extent.end != size) return false;
      outputs.push_back(std::move(output));
    }
    const auto names = output_names(*layer_);
    for (std::size_t i = 0; i < names.size(); ++i) values_.make(names[i], input.axis) = outputs[i];
    return true;
  }

  void add_whole() {
    Layer copy = *layer_;
    for (std::string& input : copy.inputs) input = values_.whole(input);
    made_.network.layers.push_back(std::move(copy));
  }

  ValueShards& new_shards(std::size_t axis) { return values_.make(output_names(*layer_)[0], axis); }

  void note_parts(const std::string& shard, int dimension, ShardExtent extent) {
    for (const Parameter& parameter : types_->parameters) {
      const std::string end = parameter.name.substr(layer_->name.size());
      made_.parts[shard + end] = {parameter.name, dimension, extent.begin, extent.end};
    }
  }

  std::string shard_name(const char* by, ShardExtent extent) const {
    return fmt::format("{}[{} {}:{}]", layer_->name, by, extent.begin, extent.end);
  }

  const Network& network_;
  ShardedNetwork made_;
  ShardedValues values_;
  std::map<std::string, Asked> asked_;  // by layer
  std::set<std::string> names_;         // of layers
  std::set<std::string> shared_;        // those whose weight others use too
  std::set<std::string> shared_in_shards_;
  std::map<std::string, std::vector<const Layer*>> readers_;  // by value
  const Layer* layer_ = nullptr;                              // that is looked at
  const LayerTypes* types_ = nullptr;
};

}  // namespace

ShardedNetwork shard(const Network& network, const std::vector<Shard>& shards) {
  return Sharding(network, shards).make();
}

}  // namespace stint
