#include "models/training/differentiate.hpp"

#include <fmt/format.h>

#include <map>

#include "files/input_error.hpp"
#include "models/training/kinds.hpp"
#include "models/training/losses.hpp"
#include "models/training/orders.hpp"

namespace stint {
namespace {

// Layers of one seed, such as those of a repeated block, have masks of their own all the same: the
// seed is mixed with the layer's name (FNV-1a).
LayerKind with_own_mask(const Layer& layer) {
  LayerKind kind = layer.kind;
  if (auto* dropout = std::get_if<Dropout>(&kind)) {
    std::uint64_t hash = 0xcbf29ce484222325U ^ static_cast<std::uint64_t>(dropout->seed);
    for (const char c : layer.name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    dropout->seed = static_cast<std::int64_t>(hash >> 1);
  }
  return kind;
}

class Differentiation {
 public:
  Differentiation(const Network& network, ImageLayout layout)
      : network_(network), types_(infer(network)), orders_(layout == ImageLayout::nhwc, builder_) {}

  Training differentiate() {
    for (const NetworkInput& input : network_.inputs) add_input(input);
    for (std::size_t i = 0; i < network_.layers.size(); ++i) {
      try {
        apply(network_.layers[i], types_.layers[i]);
      } catch (const ShapeFault& fault) {
        throw InputError(fmt::format("/layers/{}", i),
                         fmt::format("{}: {}", in_quotes(network_.layers[i].name), fault.what()));
      }
    }
    add_loss();
    for (std::size_t i = applied_.size(); i-- > 0;) go_back(applied_[i]);
    return std::move(builder_.training());
  }

 private:
  void add_input(const NetworkInput& input) {
    values_[input.name] = builder_.add_value(
        {.name = input.name, .shape = input.shape, .element = input.type, .kind = Kind::input});
  }

  // Its own parameters as state, a shared weight before them.
  std::vector<ValueId> parameters_of(const Layer& layer, const LayerTypes& types) {
    std::vector<ValueId> ids;
    const auto* linear = std::get_if<Linear>(&layer.kind);
    if (linear != nullptr && !linear->weight_of.empty())
      ids.push_back(weights_.at(linear->weight_of));
    for (const Parameter& parameter : types.parameters) {
      Value value{.name = parameter.name, .kind = Kind::state};
      for (const std::int64_t count : parameter.shape) value.shape.push_back({count});
      ids.push_back(builder_.add_value(std::move(value)));
      builder_.add_parameter(ids.back(), parameter);
      if (parameter.trained) builder_.want_gradient(ids.back());
    }
    if (!ids.empty()) weights_.emplace(layer.name, ids[0]);
    return ids;
  }

  void apply(const Layer& layer, const LayerTypes& types) {
    std::vector<ValueId> inputs;
    for (const std::string& name : layer.inputs) inputs.push_back(values_.at(name));
    std::vector<AppliedLayer> reorders;
    inputs = orders_.arrange(layer.kind, inputs, reorders);
    for (AppliedLayer& reorder : reorders) {
      reorder.cut_with = layer.name;
      go_forward(std::move(reorder));
    }

    AppliedLayer at{.name = layer.name, .kind = with_own_mask(layer), .inputs = inputs};
    at.parameters = parameters_of(layer, types);
    add_outputs(layer, types, at);
    go_forward(std::move(at));
  }

  void add_outputs(const Layer& layer, const LayerTypes& types, AppliedLayer& at) {
    const bool channels_last = orders_.wants_channels_last(layer.kind, at.inputs);
    const auto names = output_names(layer);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Shape& shape = types.outputs[i].shape;
      at.outputs.push_back(
          views(at) ? builder_.add_view(at.inputs[0], names[i], shape)
                    : builder_.add_value(
                          {.name = names[i], .shape = shape, .channels_last = channels_last}));
      values_[names[i]] = at.outputs.back();
    }
  }

  bool views(const AppliedLayer& at) const {
    const auto* kind = std::get_if<LayerKind>(&at.kind);
    if (kind == nullptr) return false;
    std::vector<Shape> shapes;
    for (const ValueId input : at.inputs) shapes.push_back(builder_.value(input).shape);
    return is_view(*kind, shapes);
  }

  void go_forward(AppliedLayer at) {
    bool wanted = false;
    for (const auto* list : {&at.inputs, &at.parameters}) {
      for (const ValueId id : *list) {
        if (!builder_.wants_gradient(id)) continue;
        builder_.add_reader(id);
        wanted = true;
      }
    }
    if (wanted) {
      for (const ValueId output : at.outputs) builder_.want_gradient(output);
    }
    if (!views(at)) visit(at, [&](const auto& kind) { forward(kind, at, builder_); });
    applied_.push_back(std::move(at));
  }

  void add_loss() {
    const auto value = [&](int i) { return values_.at(network_.loss.inputs[i]); };
    if (builder_.wants_gradient(value(1)))
      throw InputError("/loss",
                       fmt::format("{} depends on what is trained; expected data to compare with",
                                   in_quotes(network_.loss.inputs[1])));
    if (!builder_.wants_gradient(value(0)))
      throw InputError("/loss", fmt::format("{} depends on nothing that is trained; expected it to",
                                            in_quotes(network_.loss.inputs[0])));
    builder_.add_reader(value(0));
    emit_loss(network_.loss, value(0), value(1), builder_);
  }

  void go_back(AppliedLayer& at) {
    if (!builder_.wants_gradient(at.outputs[0])) return;
    for (const ValueId output : at.outputs)
      at.output_gradients.push_back(builder_.gradient(output));
    if (views(at))
      builder_.pass_gradient(at.inputs[0], at.output_gradients[0], at);
    else
      visit(at, [&](const auto& kind) { backward(kind, at, builder_); });
    for (const ValueId parameter : at.parameters) {
      if (builder_.wants_gradient(parameter) && builder_.gradient_is_complete(parameter))
        emit_update(network_.optimizer, parameter, builder_);
    }
  }

  template <typename Call>
  static void visit(const AppliedLayer& at, Call call) {
    if (const auto* reorder = std::get_if<Reorder>(&at.kind))
      call(*reorder);
    else
      std::visit(call, std::get<LayerKind>(at.kind));
  }

  const Network& network_;
  NetworkTypes types_;
  TrainingBuilder builder_;
  ImageOrders orders_;
  std::map<std::string, ValueId> values_;
  std::map<std::string, ValueId> weights_;  // a layer's first parameter
  std::vector<AppliedLayer> applied_;
};

}  // namespace

Operation operation_of(const AppliedLayer& at, const std::string& what, Phase phase) {
  Operation operation{.name = at.name + "." + what};
  operation.phase = phase;
  operation.layer = at.cut_with.empty() ? at.name : at.cut_with;
  if (const auto* kind = std::get_if<LayerKind>(&at.kind)) {
    operation.op = std::string(op_name(*kind)) + "." + what;
    operation.origin = *kind;
  } else {
    operation.op = "reorder";
  }
  return operation;
}

Training differentiate(const Network& network, ImageLayout layout) {
  return Differentiation(network, layout).differentiate();
}

}  // namespace stint
