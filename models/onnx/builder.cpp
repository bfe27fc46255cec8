#include "models/onnx/builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "files/input_error.hpp"
#include "models/onnx/forms.hpp"

namespace stint {
namespace {

// Whatever a layer may learn, as parameters are named.
constexpr std::array parameter_names = {"weight", "bias", "running_mean", "running_var"};

std::vector<std::string> values_of(const std::vector<OnnxActivation>& activations) {
  std::vector<std::string> names;
  for (const OnnxActivation& activation : activations) names.push_back(activation.value);
  return names;
}

std::vector<ValueType> types_of(const std::vector<OnnxActivation>& activations) {
  std::vector<ValueType> types;
  for (const OnnxActivation& activation : activations) types.push_back(activation.type);
  return types;
}

bool is_table(const LayerKind& kind) {
  return std::holds_alternative<Linear>(kind) || std::holds_alternative<Embedding>(kind);
}

void drop_weights_of_others(const std::vector<Layer>& layers, std::vector<WeightSource>& weights) {
  std::set<std::string> names;
  for (const Layer& layer : layers) names.insert(layer.name);
  std::erase_if(weights, [&](const WeightSource& weight) {
    return !names.contains(weight.parameter.substr(0, weight.parameter.rfind('.')));
  });
}

}  // namespace

OnnxBuilder::OnnxBuilder(const OnnxGraph& graph, std::string_view bytes) : bytes_(bytes) {
  for (const OnnxInput& input : graph.inputs) reserved_.insert(input.name);
  for (const OnnxTensor& tensor : graph.initializers) reserved_.erase(tensor.name);
  for (const OnnxNode& node : graph.nodes) {
    reserved_.insert(node.outputs.begin(), node.outputs.end());
  }
}

OnnxActivation OnnxBuilder::add_input(const std::string& name, const Shape& shape, Element type) {
  const std::string free = free_name(name);
  made_.network.inputs.push_back({free, shape, type});
  taken_.insert(free);
  return {free, {shape, type}};
}

// Names of the graph are only for their own values; those of parameters are for nobody else.
bool OnnxBuilder::is_free(const std::string& name, const std::string& wanted) const {
  const auto is_used = [&](const std::string& other) {
    return taken_.contains(other) || (other != wanted && reserved_.contains(other));
  };
  if (is_used(name)) return false;
  return std::none_of(parameter_names.begin(), parameter_names.end(),
                      [&](const char* last) { return is_used(name + "." + last); });
}

std::string OnnxBuilder::free_name(const std::string& wanted) const {
  std::string name = wanted;
  for (int i = 2; !is_free(name, wanted); ++i) name = fmt::format("{}_{}", wanted, i);
  return name;
}

OnnxActivation OnnxBuilder::add(const OnnxScope& scope, const std::string& name,
                                const LayerKind& kind, const std::vector<OnnxActivation>& inputs,
                                const std::vector<OnnxParameter>& parameters) {
  const Layer layer{free_name(name), kind, values_of(inputs), {}};
  const LayerTypes types = infer(layer, types_of(inputs));
  for (const Parameter& wanted : types.parameters) {
    const std::string last = wanted.name.substr(layer.name.size() + 1);
    const auto given = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const OnnxParameter& p) { return p.name == last; });
    if (given == parameters.end()) throw OnnxUnsupported("without a " + last);
    note_parameter(scope, layer, wanted, *given);
  }
  taken_.insert(layer.name);
  made_.network.layers.push_back(layer);
  return {layer.name, types.outputs.at(0)};
}

std::vector<OnnxActivation> OnnxBuilder::add_many(const std::vector<std::string>& names,
                                                  const LayerKind& kind,
                                                  const OnnxActivation& input) {
  Layer layer{free_name(names.at(0)), kind, {input.value}, {}};
  for (const std::string& name : names) layer.outputs.push_back(free_name(name));
  const LayerTypes types = infer(layer, {input.type});
  if (types.outputs.size() != names.size())
    throw ShapeFault(fmt::format("{} outputs; expected {}", names.size(), types.outputs.size()));
  std::vector<OnnxActivation> made;
  for (std::size_t i = 0; i < names.size(); ++i) {
    made.push_back({layer.outputs[i], types.outputs[i]});
    taken_.insert(layer.outputs[i]);
  }
  made_.network.layers.push_back(std::move(layer));
  return made;
}

void OnnxBuilder::note_parameter(const OnnxScope& scope, const Layer& layer,
                                 const Parameter& wanted, const OnnxParameter& given) {
  const OnnxConstant& from = given.from;
  if (from.shape != wanted.shape)
    throw ShapeFault(fmt::format("{} {} is {}; expected {}", given.name, in_quotes(from.origin),
                                 to_string(shape_of(from.shape)),
                                 to_string(shape_of(wanted.shape))));
  if (wanted.trained) note_use(scope, layer, given);
  WeightSource source{.parameter = wanted.name, .shape = wanted.shape, .negated = given.negated};
  if (from.message.empty()) {
    source.fill = from.fill;
  } else {
    source.initializer = from.origin;
    source.stored = from.stored;
    source.order = from.order;
    source.position = static_cast<std::size_t>(from.message.data() - bytes_.data());
    source.bytes = from.message.size();
  }
  made_.weights.push_back(std::move(source));
  taken_.insert(wanted.name);
}

// Exporters merge equal tensors, so that all biases of a fresh network may be one vector of zeros:
// a vector of one number is no sharing, whereas anything else is.
void OnnxBuilder::note_use(const OnnxScope& scope, const Layer& layer, const OnnxParameter& given) {
  const OnnxConstant& from = given.from;
  if (from.message.empty()) return;
  const bool table = is_table(layer.kind) && given.name == "weight";
  const auto [use, is_first] =
      uses_.emplace(from.origin, Use{layer.name, from.order, from.shape, table});
  if (is_first || (from.stored.size() <= 1 && scope.is_uniform(from))) return;
  throw OnnxUnsupported(fmt::format("with weight {}, which {} uses too", in_quotes(from.origin),
                                    in_quotes(use->second.layer)));
}

std::string OnnxBuilder::layer_with_weight(const OnnxConstant& weight) const {
  const auto use = uses_.find(weight.origin);
  if (weight.message.empty() || use == uses_.end() || !use->second.is_table ||
      use->second.order != weight.order || use->second.shape != weight.shape)
    return "";
  return use->second.layer;
}

const Layer* OnnxBuilder::last_layer() const {
  return made_.network.layers.empty() ? nullptr : &made_.network.layers.back();
}

OnnxModel OnnxBuilder::finish(Loss loss) && {
  Network& network = made_.network;
  std::set<std::string> used(loss.inputs.begin(), loss.inputs.end());
  std::vector<Layer> kept;
  for (auto layer = network.layers.rbegin(); layer != network.layers.rend(); ++layer) {
    const auto names = output_names(*layer);
    if (std::none_of(names.begin(), names.end(), [&](auto& name) { return used.contains(name); }))
      continue;
    used.insert(layer->inputs.begin(), layer->inputs.end());
    kept.push_back(std::move(*layer));
  }
  drop_weights_of_others(kept, made_.weights);
  network.layers.assign(kept.rbegin(), kept.rend());
  std::erase_if(network.inputs, [&](const auto& input) { return !used.contains(input.name); });
  network.loss = std::move(loss);
  return std::move(made_);
}

}  // namespace stint
