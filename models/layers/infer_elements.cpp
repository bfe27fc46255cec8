// Layers that keep the shape: element by element, or normalising along some dimensions.
#include <fmt/format.h>

#include "models/layers/infer_kinds.hpp"

namespace stint {
namespace {

LayerOutcome same_as_first(const InputShapes& inputs) { return {{inputs[0]}, {}}; }

LayerOutcome infer_equal_shapes(const InputShapes& inputs) {
  for (const Shape& other : inputs) {
    if (other != inputs[0])
      throw ShapeFault(
          fmt::format("{} and {}; expected equal shapes", to_string(inputs[0]), to_string(other)));
  }
  return same_as_first(inputs);
}

// Two inputs, the second of which may have ones: each of its elements then stands for several.
LayerOutcome infer_broadcast(const InputShapes& inputs) {
  const Shape &first = inputs[0], &second = inputs[1];
  bool fits = first.size() == second.size();
  for (std::size_t i = 0; fits && i < first.size(); ++i)
    fits = second[i] == first[i] || (second[i] == Dimension{1} && !first[i].per_sample);
  if (!fits)
    throw ShapeFault(fmt::format("{} and {}; expected equal shapes, or ones in the second",
                                 to_string(first), to_string(second)));
  return same_as_first(inputs);
}

// The shape of a learned tensor that is added or multiplied: given, or one number per channel.
std::vector<std::int64_t> broadcast_shape(const std::vector<std::int64_t>& given,
                                          const Shape& input) {
  if (given.empty()) {
    if (input.size() == 4) return {fixed(input, 1), 1, 1};
    return {fixed(input, axis_of(-1, input))};
  }
  const auto fault = [&] {
    Shape learned;
    for (const std::int64_t count : given) learned.push_back({count});
    return ShapeFault(fmt::format("{} does not fit {}; expected its last dimensions, or ones",
                                  to_string(learned), to_string(input)));
  };
  if (given.size() > input.size()) throw fault();
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Dimension dimension = input[input.size() - given.size() + i];
    if (given[i] != 1 && dimension != Dimension{given[i]}) throw fault();
  }
  return given;
}

}  // namespace

LayerOutcome infer_kind(const Bias& layer, const InputShapes& inputs) {
  return {{inputs[0]}, {{"bias", broadcast_shape(layer.shape, inputs[0]), Initial::zeros}}};
}

LayerOutcome infer_kind(const Scale& layer, const InputShapes& inputs) {
  return {{inputs[0]}, {{"weight", broadcast_shape(layer.shape, inputs[0]), Initial::ones}}};
}

LayerOutcome infer_kind(const BatchNorm&, const InputShapes& inputs) {
  const std::vector<std::int64_t> channels = {fixed(inputs[0], axis_of(1, inputs[0]))};
  return {{inputs[0]},
          {{"weight", channels, Initial::ones},
           {"bias", channels, Initial::zeros},
           {"running_mean", channels, Initial::zeros, 0, false},
           {"running_var", channels, Initial::ones, 0, false}}};
}

LayerOutcome infer_kind(const LayerNorm& layer, const InputShapes& inputs) {
  std::vector<std::int64_t> normalised;
  for (std::size_t i = axis_of(layer.axis, inputs[0]); i < inputs[0].size(); ++i) {
    normalised.push_back(fixed(inputs[0], i));
  }
  LayerOutcome outcome{{inputs[0]}, {{"weight", normalised, Initial::ones}}};
  if (layer.bias) outcome.parameters.push_back({"bias", normalised, Initial::zeros});
  return outcome;
}

LayerOutcome infer_kind(const Softmax& layer, const InputShapes& inputs) {
  fixed(inputs[0], axis_of(layer.axis, inputs[0]));
  return same_as_first(inputs);
}

LayerOutcome infer_kind(const Add&, const InputShapes& inputs) {
  return inputs.size() == 2 ? infer_broadcast(inputs) : infer_equal_shapes(inputs);
}
LayerOutcome infer_kind(const Mul&, const InputShapes& inputs) { return infer_broadcast(inputs); }
LayerOutcome infer_kind(const Affine&, const InputShapes& inputs) { return same_as_first(inputs); }
LayerOutcome infer_kind(const Relu& layer, const InputShapes& inputs) {
  if (layer.max && !(*layer.max > layer.min))
    throw ShapeFault(fmt::format("from {} to {}; expected a max above min", layer.min, *layer.max));
  if (layer.slope != 0 && (layer.max || layer.min != 0))
    throw ShapeFault("a slope and bounds; expected one or the other");
  return same_as_first(inputs);
}
LayerOutcome infer_kind(const Gelu&, const InputShapes& inputs) { return same_as_first(inputs); }
LayerOutcome infer_kind(const Sigmoid&, const InputShapes& inputs) { return same_as_first(inputs); }
LayerOutcome infer_kind(const Tanh&, const InputShapes& inputs) { return same_as_first(inputs); }
LayerOutcome infer_kind(const Dropout&, const InputShapes& inputs) { return same_as_first(inputs); }

}  // namespace stint
