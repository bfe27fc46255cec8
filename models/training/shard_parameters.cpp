#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/training/shard.hpp"

namespace stint {
namespace {

class JoinedParameters {
 public:
  JoinedParameters(const ShardedNetwork& sharded, Training& training)
      : sharded_(sharded), training_(training) {
    for (const LayerTypes& layer : sharded.types.layers) {
      for (const Parameter& parameter : layer.parameters) whole_[parameter.name] = &parameter;
    }
    for (std::size_t v = 0; v < training.values.size(); ++v) {
      if (training.values[v].kind == Kind::state)
        made_[training.values[v].name] = static_cast<ValueId>(v);
    }
  }

  void join() {
    std::vector<ValueId> parameters;
    for (std::size_t v = 0; v < training_.values.size(); ++v) {
      if (training_.values[v].kind == Kind::state) parameters.push_back(static_cast<ValueId>(v));
    }
    // What an optimizer remembers is named after its parameter, whose name changes here.
    for (const Operation& operation : training_.operations) {
      if (!std::holds_alternative<Optimizer>(operation.origin)) continue;
      const std::string name = training_.values[operation.updates[0]].name;
      for (std::size_t i = 1; i < operation.updates.size(); ++i)
        join(operation.updates[i], name,
             training_.values[operation.updates[i]].name.substr(name.size()));
    }
    for (const ValueId id : parameters) join(id, training_.values[id].name, "");
    for (const auto& [whole, parts] : shared_) share(whole, parts);
    training_.parameters.clear();
    for (const LayerTypes& layer : sharded_.types.layers)
      training_.parameters.insert(training_.parameters.end(), layer.parameters.begin(),
                                  layer.parameters.end());
  }

 private:
  void join(ValueId id, const std::string& parameter, const std::string& end_of_name) {
    const auto found = sharded_.parts.find(parameter);
    if (found == sharded_.parts.end()) return;
    const ParameterPart& part = found->second;
    const Parameter& whole = *whole_.at(part.whole);
    if (part.end - part.begin == whole.shape[part.dimension]) {
      training_.values[id].name = part.whole + end_of_name;
      return;
    }
    const ValueId all = whole_value(whole, part, part.whole + end_of_name);
    training_.values[id].part_of = all;
    training_.values[id].first_element =
        element_count(whole) / whole.shape[part.dimension] * part.begin;
    if (part.shared && end_of_name.empty()) shared_[all].push_back(id);
  }

  Trained& trained(ValueId parameter) {
    return *std::ranges::find(training_.trained, parameter, &Trained::parameter);
  }

  // The gradient that other users of the whole have made is added part by part, and the parts are
  // updated instead of the whole: when the last of those gradients is there.
  void share(ValueId whole, const std::vector<ValueId>& parts) {
    const ValueId of_others = trained(whole).gradient;
    std::vector<Operation> operations;
    std::map<ValueId, Operation> updates;  // of the whole and of its parts
    std::size_t last = 0;
    for (Operation& operation : training_.operations) {
      const bool is_update = std::holds_alternative<Optimizer>(operation.origin) &&
                             (operation.updates[0] == whole ||
                              std::ranges::find(parts, operation.updates[0]) != parts.end());
      if (is_update) last = operations.size();
      if (is_update)
        updates.emplace(operation.updates[0], std::move(operation));
      else
        operations.push_back(std::move(operation));
    }
    std::vector<Operation> added;
    for (const ValueId part : parts) {
      Operation& update = updates.at(part);
      const ValueId sum = add_sum(trained(part).gradient, part_of_gradient(of_others, part), added);
      trained(part).gradient = sum;
      update.reads = {sum};
      added.push_back(std::move(update));
    }
    operations.insert(operations.begin() + static_cast<std::ptrdiff_t>(last),
                      std::make_move_iterator(added.begin()), std::make_move_iterator(added.end()));
    training_.operations = std::move(operations);
    std::erase_if(training_.trained, [&](const Trained& it) { return it.parameter == whole; });
  }

  ValueId part_of_gradient(ValueId gradient, ValueId parameter) {
    Value part = training_.values[parameter];
    part.name = training_.values[parameter].name + ".grad.others";
    part.kind = Kind::activation;
    part.part_of = gradient;
    training_.values.push_back(std::move(part));
    return static_cast<ValueId>(training_.values.size() - 1);
  }

  ValueId add_sum(ValueId left, ValueId right, std::vector<Operation>& operations) {
    Value sum = training_.values[left];
    sum.name += ".all";
    training_.values.push_back(std::move(sum));
    const auto id = static_cast<ValueId>(training_.values.size() - 1);
    Operation add{
        .name = training_.values[id].name + ".sum", .op = "sum", .phase = Phase::backward};
    add.reads = {left, right};
    add.writes = {id};
    add.may_overwrite = {{id, left}};
    add.effort.element_flops = product(training_.values[id].shape);
    operations.push_back(std::move(add));
    return id;
  }

  // Stored shard by shard: only the first dimension's entries lie side by side as listed.
  static std::string order_of(const Parameter& whole, const ParameterPart& part) {
    if (part.dimension == 0) return "";
    std::string letters(1, static_cast<char>('A' + part.dimension));
    for (int d = 0; d < static_cast<int>(whole.shape.size()); ++d) {
      if (d != part.dimension) letters += static_cast<char>('a' + d);
    }
    return fmt::format("{} {}{}{}", fmt::join(whole.shape, "x"), letters, part.end - part.begin,
                       static_cast<char>('a' + part.dimension));
  }

  ValueId whole_value(const Parameter& whole, const ParameterPart& part, const std::string& name) {
    const auto [found, is_new] = made_.try_emplace(name, no_value);
    if (!is_new) return found->second;
    Value value{.name = name, .kind = Kind::state, .order = order_of(whole, part)};
    for (const std::int64_t count : whole.shape) value.shape.push_back({count});
    training_.values.push_back(std::move(value));
    return found->second = static_cast<ValueId>(training_.values.size() - 1);
  }

  const ShardedNetwork& sharded_;
  Training& training_;
  std::map<std::string, const Parameter*> whole_;   // by name
  std::map<std::string, ValueId> made_;             // wholes, by name
  std::map<ValueId, std::vector<ValueId>> shared_;  // their parts
};

}  // namespace

void join_parameters(const ShardedNetwork& sharded, Training& training) {
  JoinedParameters(sharded, training).join();
}

void name_layers(const ShardedNetwork& sharded, Training& training) {
  for (Operation& operation : training.operations) {
    const auto found = sharded.layer_of.find(operation.layer);
    if (found != sharded.layer_of.end()) operation.layer = found->second;
  }
}

}  // namespace stint
