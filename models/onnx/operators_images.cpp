// Convolutions and pools over [batch, channels, height, width]; a line, [batch, channels, length],
// is an image of height 1.
#include <fmt/format.h>

#include <algorithm>

#include "models/onnx/translation.hpp"

namespace stint {
namespace {

constexpr std::int64_t most_window_size = std::int64_t{1} << 30;

// A list with `count` numbers for two directions, none of them absurd.
std::vector<std::int64_t> sizes_of(const OnnxNode& node, const char* name, std::size_t count,
                                   std::int64_t otherwise) {
  const auto sizes = attribute(node, name, std::vector<std::int64_t>(count, otherwise));
  if (sizes.size() != count)
    throw OnnxUnsupported(fmt::format("with {} {}, not {}", sizes.size(), name, count));
  for (const std::int64_t size : sizes) {
    if (size < 0 || size > most_window_size)
      throw ShapeFault(fmt::format("{} {}; expected 0 to 2^30", name, size));
  }
  return sizes;
}

Pair pair_of(const OnnxNode& node, const char* name, std::int64_t otherwise) {
  const auto sizes = sizes_of(node, name, 2, otherwise);
  return {sizes[0], sizes[1]};
}

Pair image_size(const OnnxActivation& x) {
  const Pair size = {x.type.shape[2].count, x.type.shape[3].count};
  if (std::max(size[0], size[1]) > most_window_size)
    throw ShapeFault(to_string(x.type.shape) + "; expected a height and width of at most 2^30");
  return size;
}

// What a node over lines says of one direction, said of two.
void widen(OnnxAttribute& attribute) {
  std::vector<std::int64_t>& sizes = attribute.integers;
  const bool is_size = attribute.name == "kernel_shape" || attribute.name == "strides" ||
                       attribute.name == "dilations" || attribute.name == "output_shape";
  if (is_size) sizes.insert(sizes.begin(), 1);
  if (attribute.name == "output_padding") sizes.insert(sizes.begin(), 0);
  if (attribute.name == "pads" && sizes.size() == 2) sizes = {0, sizes[0], 0, sizes[1]};
}

// A node, as one over images.
struct ImageNode {
  OnnxNode node;
  OnnxActivation x;
  bool is_line = false;
};

ImageNode image_node(OnnxTranslation& t, const OnnxNode& node) {
  ImageNode image{node, t.scope.activation(node, 0)};
  const Shape shape = image.x.type.shape;
  if (shape.size() != 3 && shape.size() != 4)
    throw OnnxUnsupported(fmt::format("over {} dimensions", shape.size()));
  if (shape.size() == 4) return image;
  image.is_line = true;
  image.x = t.make_before(node, "line", Reshape{{shape[0], shape[1], {1}, shape[2]}}, image.x);
  for (OnnxAttribute& attribute : image.node.attributes) widen(attribute);
  return image;
}

void make(OnnxTranslation& t, const ImageNode& image, const LayerKind& kind,
          const std::vector<OnnxParameter>& parameters = {}) {
  if (!image.is_line) return t.make(image.node, kind, {image.x}, parameters);
  const OnnxActivation y = t.make_before(image.node, "image", kind, image.x, parameters);
  const Shape& shape = y.type.shape;
  t.make(image.node, Reshape{{shape[0], shape[1], shape[3]}}, {y});
}

struct Window {
  Pair kernel;
  Pair stride;
  Pair dilation;
};

Window window_of(const OnnxNode& node, const Pair& kernel) {
  Window window{kernel, pair_of(node, "strides", 1), pair_of(node, "dilations", 1)};
  for (const Pair& sizes : {window.kernel, window.stride, window.dilation}) {
    if (sizes[0] < 1 || sizes[1] < 1)
      throw ShapeFault("a kernel, stride or dilation of 0; expected 1 or more");
  }
  return window;
}

std::int64_t span_of(const Window& window, int axis) {
  return (window.kernel[axis] - 1) * window.dilation[axis] + 1;
}

// So much padding along each axis, the odd one at the end or at the beginning.
Padding shared_out(const Pair& total, bool odd_at_end) {
  Padding padding{};
  for (const int axis : {0, 1}) {
    const std::int64_t less = total[axis] / 2;
    const std::int64_t more = total[axis] - less;
    padding[axis] = odd_at_end ? less : more;
    padding[axis + 2] = odd_at_end ? more : less;
  }
  return padding;
}

Padding given_padding(const OnnxNode& node) {
  const auto pads = sizes_of(node, "pads", 4, 0);
  return {pads[0], pads[1], pads[2], pads[3]};
}

// As many outputs as inputs, strides apart.
Pair total_for_same(const Window& window, const Pair& size) {
  Pair total{};
  for (const int axis : {0, 1}) {
    const std::int64_t stride = window.stride[axis];
    const std::int64_t outputs = (size[axis] + stride - 1) / stride;
    total[axis] =
        std::max<std::int64_t>(0, (outputs - 1) * stride + span_of(window, axis) - size[axis]);
  }
  return total;
}

Padding padding_of(const OnnxNode& node, const Window& window, const Pair& size) {
  const std::string rule = attribute(node, "auto_pad", "NOTSET");
  if (rule == "VALID") return {};
  if (rule == "SAME_UPPER") return shared_out(total_for_same(window, size), true);
  if (rule == "SAME_LOWER") return shared_out(total_for_same(window, size), false);
  if (rule != "NOTSET" && !rule.empty()) throw OnnxUnsupported("with an unknown auto_pad");
  return given_padding(node);
}

// What a transposed convolution must leave out for the output to have the size asked for, or add
// to it at the end.
Padding transposed_padding(const OnnxNode& node, const Window& window, const Pair& size,
                           Pair& output_padding) {
  const std::string rule = attribute(node, "auto_pad", "NOTSET");
  const bool same = rule == "SAME_UPPER" || rule == "SAME_LOWER";
  const bool asked = find_attribute(node, "output_shape") != nullptr;
  if (!same && !asked) return rule == "VALID" ? Padding{} : given_padding(node);
  const Pair wanted = asked ? pair_of(node, "output_shape", 0)
                            : Pair{size[0] * window.stride[0], size[1] * window.stride[1]};
  Pair total{};
  for (const int axis : {0, 1}) {
    total[axis] = window.stride[axis] * (size[axis] - 1) + output_padding[axis] +
                  span_of(window, axis) - wanted[axis];
    output_padding[axis] += std::max<std::int64_t>(0, -total[axis]);
    total[axis] = std::max<std::int64_t>(0, total[axis]);
  }
  return shared_out(total, rule == "SAME_UPPER");
}

OnnxConstant image_weight(OnnxTranslation& t, const ImageNode& image) {
  OnnxConstant weight = t.scope.constant(image.node, 1);
  if (image.is_line && weight.shape.size() == 3) weight.shape.insert(weight.shape.begin() + 2, 1);
  if (weight.shape.size() != 4)
    throw OnnxUnsupported(fmt::format("with a weight of {} dimensions", weight.shape.size()));
  return weight;
}

std::vector<OnnxParameter> weight_and_bias(OnnxTranslation& t, const OnnxNode& node,
                                           const OnnxConstant& weight) {
  std::vector<OnnxParameter> parameters = {{"weight", weight}};
  if (has_input(node, 2)) parameters.push_back({"bias", t.scope.constant(node, 2)});
  return parameters;
}

std::int64_t groups_of(const OnnxNode& node) {
  const std::int64_t groups = attribute(node, "group", std::int64_t{1});
  if (groups < 1 || groups > most_window_size) throw ShapeFault("group; expected 1 or more");
  return groups;
}

void convolution(OnnxTranslation& t, const OnnxNode& given) {
  const ImageNode image = image_node(t, given);
  const OnnxNode& node = image.node;
  const OnnxConstant weight = image_weight(t, image);
  const Window window = window_of(node, {weight.shape[2], weight.shape[3]});
  make(t, image,
       Conv2d{weight.shape[0], window.kernel, window.stride,
              padding_of(node, window, image_size(image.x)), window.dilation, groups_of(node),
              has_input(node, 2)},
       weight_and_bias(t, node, weight));
}

void transposed_convolution(OnnxTranslation& t, const OnnxNode& given) {
  const ImageNode image = image_node(t, given);
  const OnnxNode& node = image.node;
  const OnnxConstant weight = image_weight(t, image);
  const Window window = window_of(node, {weight.shape[2], weight.shape[3]});
  Pair output_padding = pair_of(node, "output_padding", 0);
  const Padding padding = transposed_padding(node, window, image_size(image.x), output_padding);
  const std::int64_t groups = groups_of(node);
  make(t, image,
       ConvTranspose2d{weight.shape[1] * groups, window.kernel, window.stride, padding,
                       output_padding, window.dilation, groups, has_input(node, 2)},
       weight_and_bias(t, node, weight));
}

void max_pool(OnnxTranslation& t, const OnnxNode& given) {
  const ImageNode image = image_node(t, given);
  const OnnxNode& node = image.node;
  const Window window = window_of(node, pair_of(node, "kernel_shape", 0));
  make(t, image,
       MaxPool2d{window.kernel, window.stride, padding_of(node, window, image_size(image.x)),
                 window.dilation, attribute(node, "ceil_mode", std::int64_t{0}) != 0});
}

void average_pool(OnnxTranslation& t, const OnnxNode& given) {
  const ImageNode image = image_node(t, given);
  const OnnxNode& node = image.node;
  const Window window = window_of(node, pair_of(node, "kernel_shape", 0));
  if (window.dilation != Pair{1, 1}) throw OnnxUnsupported("with dilations");
  make(t, image,
       AvgPool2d{window.kernel, window.stride, padding_of(node, window, image_size(image.x)),
                 attribute(node, "ceil_mode", std::int64_t{0}) != 0,
                 attribute(node, "count_include_pad", std::int64_t{0}) != 0});
}

void global_average_pool(OnnxTranslation& t, const OnnxNode& node) {
  make(t, image_node(t, node), GlobalAvgPool{});
}

// The only window is the whole image.
void global_max_pool(OnnxTranslation& t, const OnnxNode& node) {
  const ImageNode image = image_node(t, node);
  const Pair size = image_size(image.x);
  make(t, image, MaxPool2d{size, size});
}

}  // namespace

OnnxOperators image_operators() {
  return {{"Conv", convolution},
          {"ConvTranspose", transposed_convolution},
          {"MaxPool", max_pool},
          {"AveragePool", average_pool},
          {"GlobalAveragePool", global_average_pool},
          {"GlobalMaxPool", global_max_pool}};
}

}  // namespace stint
