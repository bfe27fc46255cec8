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

// Dimensions that a mean keeps, and those that it is taken over.
struct Reduction {
  std::vector<std::int64_t> kept;
  std::vector<std::int64_t> reduced;
  std::int64_t count = 1;  // numbers behind each result
};

Reduction reduction_of(OnnxTranslation& t, const OnnxNode& node, const Shape& shape) {
  std::set<std::size_t> axes;
  for (const std::int64_t axis : list_of(t.scope, node, "axes", 1))
    axes.insert(axis_of(axis, shape));
  Reduction reduction;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool keeps = !axes.empty() && !axes.contains(i);
    (keeps ? reduction.kept : reduction.reduced).push_back(static_cast<std::int64_t>(i));
    if (!keeps) reduction.count = product({{reduction.count}, shape[i]}).count;
    if (!keeps && shape[i].per_sample) throw OnnxUnsupported("over the batch");
  }
  if (shape.empty() || !shape[0].per_sample) throw OnnxUnsupported("where the batch is not first");
  return reduction;
}

Shape reduced_shape(const Shape& shape, const Reduction& reduction, bool keeps_ones) {
  Shape output = shape;
  for (const std::int64_t axis : reduction.reduced) output[static_cast<std::size_t>(axis)] = {1};
  if (keeps_ones) return output;
  output.clear();
  for (const std::int64_t axis : reduction.kept)
    output.push_back(shape[static_cast<std::size_t>(axis)]);
  return output;
}

// x as [batch, what is kept, what is reduced, 1], an image of which the mean is taken.
OnnxActivation as_image(OnnxTranslation& t, const OnnxNode& node, const OnnxActivation& x,
                        const Reduction& reduction) {
  const Shape& shape = x.type.shape;
  std::vector<std::int64_t> order = reduction.kept;
  order.insert(order.end(), reduction.reduced.begin(), reduction.reduced.end());
  if (shape.size() == 4 && reduction.reduced == std::vector<std::int64_t>{2, 3}) return x;
  OnnxActivation turned = x;
  if (!std::is_sorted(order.begin(), order.end()))
    turned = t.make_before(node, "turned", Transpose{order}, x);
  return t.make_before(node, "image", Reshape{{shape[0], {-1}, {reduction.count}, {1}}}, turned);
}

// ReduceMean, and ReduceSum, which is so many times the mean.
void reduce(OnnxTranslation& t, const OnnxNode& node) {
  const OnnxActivation& x = t.scope.activation(node, 0);
  const bool is_nothing = list_of(t.scope, node, "axes", 1).empty() &&
                          attribute(node, "noop_with_empty_axes", std::int64_t{0}) != 0;
  if (is_nothing) return t.pass(node, x);
  const Reduction reduction = reduction_of(t, node, x.type.shape);
  const bool keeps_ones = attribute(node, "keepdims", std::int64_t{1}) != 0;
  const Shape output = reduced_shape(x.type.shape, reduction, keeps_ones);
  const OnnxActivation image = as_image(t, node, x, reduction);
  const bool is_mean = node.op == "ReduceMean";
  if (is_mean && output.size() == 4 && image.value == x.value)
    return t.make(node, GlobalAvgPool{}, {image});
  OnnxActivation result = t.make_before(node, "mean", GlobalAvgPool{}, image);
  if (!is_mean)
    result = t.make_before(node, "sum", Affine{static_cast<double>(reduction.count), 0}, result);
  make_shape(t, node, result, output);
}

// Channels as places in blocks of b × b pixels, or the other way: reshaped, transposed, reshaped.
void exchange(OnnxTranslation& t, const OnnxNode& node, const Shape& blocks,
              const std::vector<std::int64_t>& order, const Shape& output) {
  const OnnxActivation& x = t.scope.activation(node, 0);
  const OnnxActivation cut = t.make_before(node, "blocks", Reshape{blocks}, x);
  t.make(node, Reshape{output}, {t.make_before(node, "turned", Transpose{order}, cut)});
}

std::int64_t block_of(const OnnxNode& node, const Shape& shape) {
  const std::int64_t block = attribute(node, "blocksize", std::int64_t{0});
  if (shape.size() != 4 || block < 1 || block > 1024)
    throw OnnxUnsupported("of other than images and blocks");
  return block;
}

void depth_to_space(OnnxTranslation& t, const OnnxNode& node) {
  const Shape s = t.scope.activation(node, 0).type.shape;
  const std::int64_t b = block_of(node, s);
  const Dimension channels = {s[1].count / (b * b)};
  const Shape output = {s[0], channels, {s[2].count * b}, {s[3].count * b}};
  if (attribute(node, "mode", "DCR") == "CRD")
    return exchange(t, node, {s[0], channels, {b}, {b}, s[2], s[3]}, {0, 1, 4, 2, 5, 3}, output);
  exchange(t, node, {s[0], {b}, {b}, channels, s[2], s[3]}, {0, 3, 4, 1, 5, 2}, output);
}

void space_to_depth(OnnxTranslation& t, const OnnxNode& node) {
  const Shape s = t.scope.activation(node, 0).type.shape;
  const std::int64_t b = block_of(node, s);
  const Dimension height = {s[2].count / b};
  const Dimension width = {s[3].count / b};
  exchange(t, node, {s[0], s[1], height, {b}, width, {b}}, {0, 3, 5, 1, 2, 4},
           {s[0], {s[1].count * b * b}, height, width});
}

}  // namespace

OnnxOperators form_operators() {
  return {{"Reshape", reshape},
          {"Flatten", flatten},
          {"Squeeze", squeeze},
          {"Unsqueeze", unsqueeze},
          {"Transpose", transpose},
          {"Concat", concat},
          {"Split", split},
          {"ReduceMean", reduce},
          {"ReduceSum", reduce},
          {"DepthToSpace", depth_to_space},
          {"SpaceToDepth", space_to_depth}};
}

}  // namespace stint
