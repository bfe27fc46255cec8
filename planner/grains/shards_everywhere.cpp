#include <map>
#include <set>

#include "planner/grains/choose_shards.hpp"

namespace stint {
namespace {

constexpr std::int64_t least_features = 16;  // of a shard that is put together with the others

bool is_passed_through(const Layer& layer) {
  return std::holds_alternative<Relu>(layer.kind) || std::holds_alternative<Gelu>(layer.kind) ||
         std::holds_alternative<Sigmoid>(layer.kind) || std::holds_alternative<Tanh>(layer.kind) ||
         std::holds_alternative<Affine>(layer.kind);
}

class Everywhere {
 public:
  Everywhere(const Network& network, std::int64_t count) : network_(network), count_(count) {
    for (const Layer& layer : network.layers) {
      for (const std::string& output : output_names(layer)) maker_[output] = &layer;
      for (const std::string& input : layer.inputs) readers_[input].push_back(&layer);
      if (const auto* linear = std::get_if<Linear>(&layer.kind)) shared_.insert(linear->weight_of);
    }
    for (const std::string& input : network.loss.inputs) readers_[input].push_back(nullptr);
  }

  std::vector<Shard> find(ShardReach reach) {
    for (const Layer& layer : network_.layers) {
      if (const auto* attention = std::get_if<Attention>(&layer.kind)) add_heads(layer, *attention);
    }
    for (const Layer& layer : network_.layers) add_pair(layer);
    for (const Layer& layer : network_.layers) {
      if (reach != ShardReach::pairs) add_linear(layer);
      if (reach == ShardReach::all) add_convolution(layer);
    }
    std::vector<Shard> shards;
    for (const Layer& layer : network_.layers) {
      const auto found = chosen_.find(layer.name);
      if (found != chosen_.end()) shards.push_back({layer.name, found->second, count_});
    }
    return shards;
  }

 private:
  const Linear* linear_of_its_own(const Layer* layer) const {
    const auto* linear = layer == nullptr ? nullptr : std::get_if<Linear>(&layer->kind);
    const bool own = linear != nullptr && linear->weight_of.empty() &&
                     !shared_.contains(layer->name) && !chosen_.contains(layer->name);
    return own ? linear : nullptr;
  }

  // Null: the loss, or several.
  const Layer* only_reader(const Layer& layer) const {
    const auto found = readers_.find(output_names(layer)[0]);
    return found == readers_.end() || found->second.size() != 1 ? nullptr : found->second[0];
  }
  const Layer* reader_of_elements(const Layer& layer) const {
    const Layer* reader = only_reader(layer);
    while (reader != nullptr && is_passed_through(*reader)) reader = only_reader(*reader);
    return reader;
  }

  void add_heads(const Layer& layer, const Attention& attention) {
    if (attention.heads % count_ != 0) return;
    chosen_[layer.name] = ShardBy::heads;
    for (const std::string& input : layer.inputs) {
      const auto made = maker_.find(input);
      const Layer* maker = made == maker_.end() ? nullptr : made->second;
      if (maker != nullptr && std::holds_alternative<Split>(maker->kind)) {
        const auto before = maker_.find(maker->inputs[0]);
        maker = before == maker_.end() ? nullptr : before->second;
      }
      const auto* linear = linear_of_its_own(maker);
      if (linear != nullptr && linear->features % count_ == 0)
        chosen_[maker->name] = ShardBy::columns;
    }
    const Layer* reader = only_reader(layer);
    if (linear_of_its_own(reader) != nullptr) chosen_[reader->name] = ShardBy::rows;
  }

  void add_pair(const Layer& layer) {
    const auto* linear = linear_of_its_own(&layer);
    if (linear == nullptr || linear->features % count_ != 0 || linear->features / count_ < 2)
      return;
    const Layer* reader = reader_of_elements(layer);
    if (linear_of_its_own(reader) == nullptr) return;
    chosen_[layer.name] = ShardBy::columns;
    chosen_[reader->name] = ShardBy::rows;
  }

  // Of those that share one weight, the first.
  void add_linear(const Layer& layer) {
    const auto* linear = std::get_if<Linear>(&layer.kind);
    if (linear == nullptr || linear->features < least_features * count_) return;
    const bool shares = !linear->weight_of.empty() && !shared_.contains(layer.name);
    const bool is_first = shares && in_shards_.insert(linear->weight_of).second;
    if (is_first || linear_of_its_own(&layer) != nullptr) chosen_[layer.name] = ShardBy::columns;
  }

  void add_convolution(const Layer& layer) {
    const auto* convolution = std::get_if<Conv2d>(&layer.kind);
    if (convolution != nullptr && convolution->groups == 1 &&
        convolution->filters >= least_features * count_)
      chosen_[layer.name] = ShardBy::channels;
  }

  const Network& network_;
  std::int64_t count_;
  std::map<std::string, const Layer*> maker_;  // by value
  std::map<std::string, std::vector<const Layer*>> readers_;
  std::set<std::string> shared_;     // layers whose weight others use too
  std::set<std::string> in_shards_;  // of these
  std::map<std::string, ShardBy> chosen_;
};

}  // namespace

std::vector<Shard> shards_everywhere(const Network& network, std::int64_t count, ShardReach reach) {
  return Everywhere(network, count).find(reach);
}

}  // namespace stint
