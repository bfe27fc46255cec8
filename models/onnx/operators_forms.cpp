// The same elements in another shape or order, put together or taken apart; and means, which take
// dimensions away.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/onnx/fold_numbers.hpp"
#include "models/onnx/forms.hpp"
#include "models/onnx/translation.hpp"

namespace stint {
namespace {

void make_shape(OnnxTranslation& t, const OnnxNode& node, const OnnxActivation& x,
                const Shape& shape) {
  if (shape == x.type.shape) return t.pass(node, x);
  t.make(node, Reshape{shape}, {x});
}

void reshape(OnnxTranslation& t, const OnnxNode& node) {
  const OnnxActivation& x = t.scope.activation(node, 0);
  const Shape& asked = t.scope.dimensions(node, 1).numbers;
  const bool has_zero =
      std::any_of(asked.begin(), asked.end(), [](Dimension d) { return d.count == 0; });
  if (has_zero && attribute(node, "allowzero", std::int64_t{0}) != 0)
    throw OnnxUnsupported("to nothing (allowzero)");
  make_shape(t, node, x, reshaped(x.type.shape, asked, t.file_batch));
}

void flatten(OnnxTranslation& t, const OnnxNode& node) {
  t.make(node, Flatten{attribute(node, "axis", std::int64_t{1})}, {t.scope.activation(node, 0)});
}

void squeeze(OnnxTranslation& t, const OnnxNode& node) {
  const OnnxActivation& x = t.scope.activation(node, 0);
  make_shape(t, node, x, squeezed(x.type.shape, list_of(t.scope, node, "axes", 1)));
}

void unsqueeze(OnnxTranslation& t, const OnnxNode& node) {
  const OnnxActivation& x = t.scope.activation(node, 0);
  make_shape(t, node, x, unsqueezed(x.type.shape, list_of(t.scope, node, "axes", 1)));
}

void transpose(OnnxTranslation& t, const OnnxNode& node) {
  const OnnxActivation& x = t.scope.activation(node, 0);
  std::vector<std::int64_t> order = attribute(node, "perm", std::vector<std::int64_t>{});
  if (order.empty()) order = reversed_order(x.type.shape.size());
  t.make(node, Transpose{order}, {x});
}

void concat(OnnxTranslation& t, const OnnxNode& node) {
  const auto inputs = t.scope.activations(node);
  if (inputs.size() == 1) return t.pass(node, inputs[0]);
  if (inputs.empty()) throw OnnxUnsupported("of nothing");
  const std::size_t axis = axis_of(attribute(node, "axis", std::int64_t{1}), inputs[0].type.shape);
  t.make(node, Concat{static_cast<std::int64_t>(axis)}, inputs);
}

// Equal parts; where that is impossible, the last one is smaller.
std::vector<std::int64_t> equal_sizes(std::int64_t whole, std::int64_t parts) {
  const std::int64_t size = (whole + parts - 1) / parts;
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(parts), size);
  sizes.back() = whole - size * (parts - 1);
  return sizes;
}

void split(OnnxTranslation& t, const OnnxNode& node) {
  const OnnxActivation& x = t.scope.activation(node, 0);
  for (const std::string& output : node.outputs) {
    if (!t.readers.contains(output)) throw OnnxUnsupported("with an output that nobody reads");
  }
  const std::size_t axis = axis_of(attribute(node, "axis", std::int64_t{0}), x.type.shape);
  std::vector<std::int64_t> sizes = list_of(t.scope, node, "split", 1);
  if (sizes.empty())
    sizes = equal_sizes(x.type.shape[axis].count, static_cast<std::int64_t>(node.outputs.size()));
  const auto made =
      t.builder.add_many(node.outputs, Split{sizes, static_cast<std::int64_t>(axis)}, x);
  for (std::size_t i = 0; i < made.size(); ++i) t.scope.define(node.outputs[i], made[i]);
}

// Only the mean of whole images.
void reduce_mean(OnnxTranslation& t, const OnnxNode& node) {
  const OnnxActivation& x = t.scope.activation(node, 0);
  std::set<std::size_t> axes;
  for (const std::int64_t axis : list_of(t.scope, node, "axes", 1))
    axes.insert(axis_of(axis, x.type.shape));
  if (x.type.shape.size() != 4 || axes != std::set<std::size_t>{2, 3})
    throw OnnxUnsupported("over other axes than height and width");
  if (attribute(node, "keepdims", std::int64_t{1}) != 0) return t.make(node, GlobalAvgPool{}, {x});
  t.make(node, Flatten{}, {t.make_before(node, "mean", GlobalAvgPool{}, x)});
}

}  // namespace

OnnxOperators form_operators() {
  return {{"Reshape", reshape},     {"Flatten", flatten},       {"Squeeze", squeeze},
          {"Unsqueeze", unsqueeze}, {"Transpose", transpose},   {"Concat", concat},
          {"Split", split},         {"ReduceMean", reduce_mean}};
}

}  // namespace stint
