#include "models/training/order_weights.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "files/input_error.hpp"
#include "models/training/weight_order.hpp"

namespace stint {
namespace {

// Where an operation has its weight, if it multiplies by one: the weight, or its gradient.
struct WeightPlace {
  std::vector<ValueId>* list = nullptr;
  std::size_t at = 0;
  bool is_gradient = false;
  ValueId& value() const { return (*list)[at]; }
};

const LayerKind* layer_kind_of(const Operation& operation) {
  if (const auto* fused = std::get_if<FusedProduct>(&operation.origin)) return &fused->product;
  return std::get_if<LayerKind>(&operation.origin);
}

std::optional<WeightPlace> weight_place(Operation& operation) {
  const auto* kind = layer_kind_of(operation);
  if (kind == nullptr) return std::nullopt;
  const bool multiplies = std::holds_alternative<Conv2d>(*kind) ||
                          std::holds_alternative<ConvTranspose2d>(*kind) ||
                          std::holds_alternative<Linear>(*kind);
  if (!multiplies) return std::nullopt;
  if (operation.op.ends_with(".forward")) return WeightPlace{&operation.reads, 1};
  if (operation.op.ends_with(".backward_data")) return WeightPlace{&operation.reads, 0};
  return WeightPlace{&operation.writes, 0, true};
}

class WeightOrders {
 public:
  WeightOrders(const WantedWeightOrder& wanted, Training& training)
      : wanted_(wanted), training_(training), used_otherwise_(training.values.size(), false) {
    for (const Trained& trained : training.trained)
      parameter_of_[trained.gradient] = trained.parameter;
    for (const Value& value : training.values) names_.insert(value.name);
  }

  void apply() {
    for (Operation& operation : training_.operations) look_at(operation);
    choose_homes();
    std::vector<Operation> before;
    before.swap(training_.operations);
    for (Operation& operation : before) rewrite(std::move(operation));
  }

 private:
  // Votes of every user for an order; the first vote wins a tie.
  struct Votes {
    std::vector<std::pair<std::string, int>> orders;
    void add(const std::string& order) {
      for (auto& [known, count] : orders) {
        if (known == order) {
          ++count;
          return;
        }
      }
      orders.emplace_back(order, 1);
    }
  };

  void look_at(Operation& operation) {
    const auto place = weight_place(operation);
    if (place) {
      const auto order = wanted_(operation);
      const auto parameter = parameter_behind(*place);
      if (order && parameter) {
        expect_same_size(*order, *parameter);
        const bool is_part = training_.values[*parameter].part_of != no_value;
        if (!is_part) votes_[*parameter].add(*order);
      }
    }
    note_other_uses(operation, place);
  }

  // A gradient that several layers share is summed, and thus in the order of all.
  std::optional<ValueId> parameter_behind(const WeightPlace& place) const {
    if (!place.is_gradient) return place.value();
    const auto found = parameter_of_.find(place.value());
    if (found == parameter_of_.end()) return std::nullopt;
    return found->second;
  }

  void note_other_uses(const Operation& operation, const std::optional<WeightPlace>& place) {
    if (std::holds_alternative<Optimizer>(operation.origin)) return;
    for (const auto* list : {&operation.reads, &operation.writes}) {
      for (std::size_t i = 0; i < list->size(); ++i) {
        if (!place || list != place->list || i != place->at) used_otherwise_[(*list)[i]] = true;
      }
    }
  }

  void expect_same_size(const std::string& text, ValueId parameter) const {
    if (text.empty()) return;
    const auto order = parse_weight_order(text);
    const std::int64_t elements = order ? listed_elements(*order) : 0;
    if (elements == product(training_.values[parameter].shape).count) return;
    throw InputError(
        "/lowering/kernels",
        fmt::format("the order {} is of {} elements; expected as many as {} has", in_quotes(text),
                    elements, in_quotes(training_.values[parameter].name)));
  }

  void choose_homes() {
    for (const Trained& trained : training_.trained) {
      const auto votes = votes_.find(trained.parameter);
      if (votes == votes_.end()) continue;
      if (used_otherwise_[trained.parameter] || used_otherwise_[trained.gradient]) continue;
      const std::pair<std::string, int>* best = &votes->second.orders.front();
      for (const auto& candidate : votes->second.orders) {
        if (candidate.second > best->second) best = &candidate;
      }
      training_.values[trained.parameter].order = best->first;
      training_.values[trained.gradient].order = best->first;
    }
    for (const Operation& operation : training_.operations) {
      if (!std::holds_alternative<Optimizer>(operation.origin)) continue;
      for (const ValueId state : operation.updates)
        training_.values[state].order = training_.values[operation.updates[0]].order;
    }
  }

  void rewrite(Operation operation) {
    const auto place = weight_place(operation);
    const auto order = place ? wanted_(operation) : std::nullopt;
    if (!order || *order == training_.values[place->value()].order) {
      training_.operations.push_back(std::move(operation));
    } else if (place->is_gradient) {
      const ValueId gradient = place->value();
      const ValueId in_order = copy_in(*order, gradient);
      place->value() = in_order;
      const Phase phase = operation.phase;
      training_.operations.push_back(std::move(operation));
      add_reorder(in_order, gradient, phase);
    } else {
      place->value() = reordered(place->value(), *order, operation.phase);
      training_.operations.push_back(std::move(operation));
    }
  }

  // Once for all that want it so.
  ValueId reordered(ValueId weight, const std::string& order, Phase phase) {
    const auto [found, is_new] = copies_.try_emplace({weight, order}, no_value);
    if (is_new) {
      found->second = copy_in(order, weight);
      add_reorder(weight, found->second, phase);
    }
    return found->second;
  }

  ValueId copy_in(const std::string& order, ValueId of) {
    Value copy = training_.values[of];
    copy.kind = Kind::activation;
    copy.part_of = no_value;
    copy.order = order;
    copy.name += order.empty() ? ":listed" : ":" + order.substr(order.find(' ') + 1);
    while (!names_.insert(copy.name).second) copy.name += "'";
    training_.values.push_back(std::move(copy));
    return static_cast<ValueId>(training_.values.size() - 1);
  }

  void add_reorder(ValueId from, ValueId to, Phase phase) {
    Operation reorder{.name = training_.values[to].name + ".reorder", .op = weight_reorder_op};
    reorder.phase = phase;
    reorder.reads = {from};
    reorder.writes = {to};
    training_.operations.push_back(std::move(reorder));
  }

  const WantedWeightOrder& wanted_;
  Training& training_;
  std::map<ValueId, ValueId> parameter_of_;  // by gradient
  std::vector<bool> used_otherwise_;
  std::map<ValueId, Votes> votes_;
  std::map<std::pair<ValueId, std::string>, ValueId> copies_;
  std::set<std::string> names_;
};

}  // namespace

void order_weights(const WantedWeightOrder& wanted, Training& training) {
  WeightOrders(wanted, training).apply();
}

}  // namespace stint
