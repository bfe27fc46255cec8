#include "models/onnx/loss_of.hpp"

namespace stint {
namespace {

bool is_flat_image(const Shape& shape) {
  return shape.size() == 4 && shape[2] == Dimension{1} && shape[3] == Dimension{1};
}

// Whether classes may lie along this axis: the channels of an image, or the last one.
bool may_be_classes(std::size_t axis, const Shape& shape) {
  return axis + 1 == shape.size() || (shape.size() == 4 && axis == 1);
}

// The axis of the softmax that made the output, which is taken off: `output` becomes its input.
std::optional<std::size_t> take_softmax(OnnxActivation& output, OnnxTranslation& t) {
  const Layer* last = t.builder.last_layer();
  if (last == nullptr || output_names(*last) != std::vector{output.value}) return std::nullopt;
  const auto* softmax = std::get_if<Softmax>(&last->kind);
  if (softmax == nullptr) return std::nullopt;
  const std::size_t axis = axis_of(softmax->axis, output.type.shape);
  if (!may_be_classes(axis, output.type.shape)) return std::nullopt;
  output.value = last->inputs[0];
  t.builder.drop_last_layer();
  return axis;
}

Loss cross_entropy(OnnxActivation output, bool must_drop, OnnxTranslation& t) {
  if (output.type.shape.size() < 2)
    throw OnnxUnsupported("whose output has no dimension of classes");
  const auto softmax_axis = take_softmax(output, t);
  if (must_drop && !softmax_axis) throw OnnxUnsupported("that ends in LogSoftmax of another kind");
  const std::size_t rank = output.type.shape.size();
  const std::size_t axis = softmax_axis.value_or(rank == 4 ? 1 : rank - 1);
  if (is_flat_image(output.type.shape) && axis == 1)
    output = t.builder.add(t.scope, output.value + "_flat", Flatten{}, {output});
  const bool is_last = axis + 1 == output.type.shape.size();
  Shape labels = output.type.shape;
  labels.erase(labels.begin() + static_cast<std::ptrdiff_t>(axis));
  const auto label = t.builder.add_input("label", labels, Element::int32);
  return {CrossEntropy{is_last ? -1 : static_cast<std::int64_t>(axis)},
          {output.value, label.value}};
}

}  // namespace

Loss loss_of(const OnnxActivation& output, OnnxLoss loss, bool must_drop, OnnxTranslation& t) {
  if (loss == OnnxLoss::cross_entropy) return cross_entropy(output, must_drop, t);
  const auto target = t.builder.add_input("target", output.type.shape, Element::f32);
  return {MeanSquaredError{}, {output.value, target.value}};
}

}  // namespace stint
