#include "models/training/pipelined_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "files/input_error.hpp"

namespace stint {
namespace {

constexpr int no_layer = -1;

std::map<std::string, int> layers_by_name(const Network& network) {
  std::map<std::string, int> layers;
  for (std::size_t i = 0; i < network.layers.size(); ++i)
    layers[network.layers[i].name] = static_cast<int>(i);
  return layers;
}

bool is_loss(const Operation& operation) {
  return std::holds_alternative<LossKind>(operation.origin);
}

ValueId root_of(const Training& training, ValueId id) {
  while (training.values[id].same_bytes != no_value) id = training.values[id].same_bytes;
  return id;
}

// What reorders a weight for one layer stands before it, what reorders its gradient behind it.
bool goes_with_next(const Training& training, const Operation& operation) {
  return training.values[operation.reads[0]].kind == Kind::state;
}

// Stages run their turns one after the other; this says which of them can run next.
class Turns {
 public:
  Turns(int stages, std::int64_t microbatches)
      : stages_(stages), microbatches_(microbatches), forward_(stages, 0), backward_(stages, 0) {}

  std::vector<StageTurn> all() {
    std::vector<StageTurn> turns;
    while (backward_[0] < microbatches_) {
      std::vector<StageTurn> now;  // side by side
      for (int stage = stages_; stage-- > 0;) {
        if (const auto turn = next(stage)) now.push_back(*turn);
      }
      for (const StageTurn& turn : now) ++(turn.is_forward ? forward_ : backward_)[turn.stage];
      turns.insert(turns.end(), now.begin(), now.end());
    }
    return turns;
  }

 private:
  std::optional<StageTurn> next(int stage) const {
    const std::int64_t ahead = stages_ - 1 - stage;
    const std::int64_t under_way = forward_[stage] - backward_[stage];
    const bool is_forward = forward_[stage] < microbatches_ && under_way <= ahead;
    const StageTurn turn{stage, (is_forward ? forward_ : backward_)[stage], is_forward};
    if (turn.microbatch == microbatches_) return std::nullopt;
    if (is_forward) {
      const bool is_there = stage == 0 || forward_[stage - 1] > turn.microbatch;
      return is_there ? std::optional(turn) : std::nullopt;
    }
    const bool is_there = stage + 1 == stages_ || backward_[stage + 1] > turn.microbatch;
    return is_there ? std::optional(turn) : std::nullopt;
  }

  int stages_;
  std::int64_t microbatches_;
  std::vector<std::int64_t> forward_, backward_;  // by stage: how many have run
};

}  // namespace

std::vector<StageTurn> stage_turns(int stages, std::int64_t microbatches) {
  return Turns(stages, microbatches).all();
}

std::vector<int> layers_of_operations(const Network& network, const Training& training) {
  const auto by_name = layers_by_name(network);
  const auto& operations = training.operations;
  std::vector<int> layers(operations.size(), no_layer);
  std::map<ValueId, int> made_in;  // a value's last writer
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Operation& operation = operations[i];
    if (is_loss(operation))
      layers[i] = static_cast<int>(network.layers.size()) - 1;
    else if (const auto found = by_name.find(operation.layer); found != by_name.end())
      layers[i] = found->second;
    else if (is_update(operation))
      layers[i] = made_in.at(root_of(training, operation.reads[0]));
    else if (!goes_with_next(training, operation))
      layers[i] = layers[i - 1];
    for (const ValueId written : operation.writes) made_in[root_of(training, written)] = layers[i];
  }
  for (std::size_t i = operations.size(); i-- > 0;) {
    if (layers[i] == no_layer) layers[i] = layers[i + 1];
  }
  return layers;
}

std::size_t loss_operation(const Training& training) {
  const auto& operations = training.operations;
  const auto loss = std::find_if(operations.begin(), operations.end(),
                                 [](const Operation& o) { return o.phase == Phase::loss; });
  return loss - operations.begin();
}

std::vector<int> first_layers(const Network& network, const Lowering& lowering) {
  const auto by_name = layers_by_name(network);
  std::vector<int> first;
  for (std::size_t i = 0; i < lowering.pipelined.size(); ++i) {
    const std::string& name = lowering.pipelined[i];
    const std::string where = fmt::format("/lowering/pipelined/{}", i);
    const auto found = by_name.find(name);
    if (found == by_name.end())
      throw InputError(where, "no layer is named " + in_quotes(name) + "; expected one");
    if (first.empty() ? found->second != 0 : found->second <= first.back())
      throw InputError(
          where, in_quotes(name) + "; expected the first layer of every stage, in their order");
    first.push_back(found->second);
  }
  if (lowering.replicas != 1)
    throw InputError("/lowering/replicas",
                     fmt::format("{}; expected 1 where stages run ahead", lowering.replicas));
  return first;
}

PipelinedOrder pipelined_order(const Network& network, const Training& training,
                               const Lowering& lowering) {
  const std::vector<int> first = first_layers(network, lowering);
  PipelinedOrder order{.stages = static_cast<int>(first.size())};
  order.forward.resize(order.stages);
  order.backward.resize(order.stages);
  const auto& operations = training.operations;
  const auto layers = layers_of_operations(network, training);
  const std::size_t loss = loss_operation(training);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const auto behind = std::upper_bound(first.begin(), first.end(), layers[i]);
    order.stage.push_back(static_cast<int>(behind - first.begin()) - 1);
    const bool is_forward = i <= loss;
    (is_forward ? order.forward : order.backward)[order.stage.back()].push_back(
        static_cast<int>(i));
  }
  order.turns = stage_turns(order.stages, lowering.microbatches);
  return order;
}

}  // namespace stint
