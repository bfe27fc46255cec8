#include "models/layers/network.hpp"

#include <fmt/format.h>

#include <set>

#include "files/input_error.hpp"
#include "models/layers/infer.hpp"

namespace stint {
namespace {

void check_names(const Network& network) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const std::string& name = network.layers[i].name;
    const std::string where = fmt::format("/layers/{}/name", i);
    if (name.empty()) throw InputError(where, "empty; expected a name");
    if (!seen.insert(name).second)
      throw InputError(where, in_quotes(name) + " names two layers; expected unique names");
  }
}

// Everything that is made must matter: what reaches no loss would have no gradient.
void check_used(const Network& network) {
  std::set<std::string> used(network.loss.inputs.begin(), network.loss.inputs.end());
  for (const Layer& layer : network.layers) used.insert(layer.inputs.begin(), layer.inputs.end());
  for (std::size_t i = 0; i < network.inputs.size(); ++i) {
    if (!used.contains(network.inputs[i].name))
      throw InputError(fmt::format("/inputs/{}", i),
                       in_quotes(network.inputs[i].name) + " is read by nobody; expected a reader");
  }
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    for (const std::string& name : output_names(network.layers[i])) {
      if (!used.contains(name))
        throw InputError(fmt::format("/layers/{}", i),
                         in_quotes(name) + " is read by nobody; expected a layer or the loss to");
    }
  }
}

void check_labels(const CrossEntropy& loss, const ValueType& prediction, const ValueType& label) {
  Shape expected = prediction.shape;
  const std::size_t axis = axis_of(loss.axis, expected);
  if (expected[axis].per_sample) throw ShapeFault("classes along the batch; expected another axis");
  expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(axis));
  if (label.element != Element::int32 || label.shape != expected)
    throw ShapeFault(fmt::format("labels are {} of {}; expected {} of int32",
                                 to_string(label.shape), to_string(label.element),
                                 to_string(expected)));
}

void check_labels(const MeanSquaredError&, const ValueType& prediction, const ValueType& target) {
  if (prediction != target)
    throw ShapeFault(fmt::format("targets are {} of {}; expected {} of f32",
                                 to_string(target.shape), to_string(target.element),
                                 to_string(prediction.shape)));
}

void check_loss(const Network& network, const NetworkTypes& types) {
  std::vector<ValueType> inputs;
  for (const std::string& name : network.loss.inputs) {
    const auto found = types.values.find(name);
    if (found == types.values.end())
      throw ShapeFault("reads " + in_quotes(name) + ", which nothing makes; expected a value");
    inputs.push_back(found->second);
  }
  if (inputs.size() != 2)
    throw ShapeFault(fmt::format("{} inputs; expected a prediction and its label", inputs.size()));
  if (inputs[0].element != Element::f32 || !product(inputs[0].shape).per_sample)
    throw ShapeFault("the prediction is not computed per sample; expected a value of the batch");
  std::visit([&](const auto& loss) { check_labels(loss, inputs[0], inputs[1]); },
             network.loss.kind);
}

}  // namespace

std::vector<std::string> output_names(const Layer& layer) {
  if (!layer.outputs.empty()) return layer.outputs;
  const auto* split = std::get_if<Split>(&layer.kind);
  if (split == nullptr) return {layer.name};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < split->sizes.size(); ++i) {
    names.push_back(fmt::format("{}.{}", layer.name, i));
  }
  return names;
}

void check(const Network& network) {
  check_names(network);
  const NetworkTypes types = infer(network);
  try {
    check_loss(network, types);
  } catch (const ShapeFault& fault) {
    throw InputError("/loss", fmt::format("{}: {}", op_name(network.loss.kind), fault.what()));
  }
  check_used(network);
  if (parameter_count(types) == 0)
    throw InputError("/layers", "no layer has parameters; expected something to train");
}

}  // namespace stint
