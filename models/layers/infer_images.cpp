// Layers over images [batch, channels, height, width].
#include <fmt/format.h>

#include <algorithm>

#include "models/layers/infer_kinds.hpp"

namespace stint {
namespace {

struct Image {
  Dimension samples;
  std::int64_t channels = 0;
  Pair size{};  // height, width
};

Image image_of(const Shape& shape) {
  if (shape.size() != 4)
    throw ShapeFault(fmt::format("the input is {}; expected [batch, channels, height, width]",
                                 to_string(shape)));
  return {shape[0], fixed(shape, 1), {fixed(shape, 2), fixed(shape, 3)}};
}

Shape image_shape(const Image& image) {
  return {image.samples, {image.channels}, {image.size[0]}, {image.size[1]}};
}

// What a kernel of `kernel` taps, `dilation` apart, spans; huge values are faults, not overflows.
std::int64_t span_of(std::int64_t kernel, std::int64_t dilation) {
  if (kernel > most_elements / dilation) throw ShapeFault("the kernel is too large");
  return (kernel - 1) * dilation + 1;
}

void check_padding(const Padding& padding) {
  for (const std::int64_t side : padding) {
    if (side < 0 || side > most_elements)
      throw ShapeFault(fmt::format("padding {}; expected 0 or more", side));
  }
}

template <typename Window>
void check_window(const Window& window) {
  expect_positive("kernel", window.kernel);
  expect_positive("stride", window.stride);
  check_padding(window.padding);
}

template <typename Convolution>
void check_convolution(const Convolution& layer, const Image& input) {
  check_window(layer);
  expect_positive("dilation", layer.dilation);
  expect_positive("filters", layer.filters);
  expect_positive("groups", layer.groups);
  if (input.channels % layer.groups != 0 || layer.filters % layer.groups != 0)
    throw ShapeFault(
        fmt::format("{} groups of {} channels and {} filters; expected a divisor of both",
                    layer.groups, input.channels, layer.filters));
}

template <typename Window>
std::int64_t padded(const Window& window, const Image& input, int axis) {
  return input.size[axis] + window.padding[axis] + window.padding[axis + 2];
}

// Positions of a window along one axis, the last one whole.
template <typename Window>
std::int64_t positions(const Window& window, const Image& input, int axis, std::int64_t dilation) {
  const std::int64_t span = span_of(window.kernel[axis], dilation);
  const std::int64_t room = padded(window, input, axis) - span;
  if (room < 0)
    throw ShapeFault(
        fmt::format("a kernel that spans {} does not fit in {} {}, padding included; "
                    "expected at most that",
                    span, padded(window, input, axis), axis == 0 ? "rows" : "columns"));
  return room / window.stride[axis] + 1;
}

// As above; with `ceil` a last window may reach beyond the end, if it begins before it.
template <typename Pool>
std::int64_t pool_positions(const Pool& pool, const Image& input, int axis, std::int64_t dilation) {
  const std::int64_t span = span_of(pool.kernel[axis], dilation);
  for (const int side : {axis, axis + 2}) {
    if (pool.padding[side] >= span)
      throw ShapeFault(fmt::format("padding {} with a kernel that spans {}; expected less padding",
                                   pool.padding[side], span));
  }
  const std::int64_t whole = positions(pool, input, axis, dilation);
  if (!pool.ceil) return whole;
  const std::int64_t room = padded(pool, input, axis) - span;
  const bool more = room % pool.stride[axis] != 0 &&
                    whole * pool.stride[axis] < input.size[axis] + pool.padding[axis];
  return whole + (more ? 1 : 0);
}

std::vector<Parameter> convolution_parameters(std::vector<std::int64_t> weight,
                                              std::int64_t filters, bool bias) {
  const std::int64_t fan_in = product({{weight[1]}, {weight[2]}, {weight[3]}}).count;
  std::vector<Parameter> parameters = {
      {"weight", std::move(weight), Initial::kaiming_uniform, fan_in}};
  if (bias) parameters.push_back({"bias", {filters}, Initial::kaiming_uniform, fan_in});
  return parameters;
}

template <typename Pool>
LayerOutcome infer_pool(const Pool& pool, const Shape& input, const Pair& dilation) {
  check_window(pool);
  expect_positive("dilation", dilation);
  Image image = image_of(input);
  const Image before = image;
  for (const int axis : {0, 1})
    image.size[axis] = pool_positions(pool, before, axis, dilation[axis]);
  return {{image_shape(image)}, {}};
}

}  // namespace

LayerOutcome infer_kind(const Conv2d& layer, const InputShapes& inputs) {
  const Image input = image_of(inputs[0]);
  check_convolution(layer, input);
  Image output{input.samples, layer.filters, {}};
  for (const int axis : {0, 1})
    output.size[axis] = positions(layer, input, axis, layer.dilation[axis]);
  return {{image_shape(output)},
          convolution_parameters(
              {layer.filters, input.channels / layer.groups, layer.kernel[0], layer.kernel[1]},
              layer.filters, layer.bias)};
}

LayerOutcome infer_kind(const ConvTranspose2d& layer, const InputShapes& inputs) {
  const Image input = image_of(inputs[0]);
  check_convolution(layer, input);
  Image output{input.samples, layer.filters, {}};
  for (const int axis : {0, 1}) {
    const std::int64_t span = span_of(layer.kernel[axis], layer.dilation[axis]);
    if (layer.stride[axis] > most_elements / input.size[axis])
      throw ShapeFault("the stride is too large");
    if (layer.output_padding[axis] < 0 ||
        layer.output_padding[axis] >= std::max(layer.stride[axis], layer.dilation[axis]))
      throw ShapeFault(fmt::format("output_padding {}; expected less than stride or dilation",
                                   layer.output_padding[axis]));
    output.size[axis] = (input.size[axis] - 1) * layer.stride[axis] + span +
                        layer.output_padding[axis] - layer.padding[axis] - layer.padding[axis + 2];
    if (output.size[axis] < 1)
      throw ShapeFault("nothing remains after padding is taken away; expected less padding");
  }
  return {{image_shape(output)},
          convolution_parameters(
              {input.channels, layer.filters / layer.groups, layer.kernel[0], layer.kernel[1]},
              layer.filters, layer.bias)};
}

LayerOutcome infer_kind(const MaxPool2d& layer, const InputShapes& inputs) {
  return infer_pool(layer, inputs[0], layer.dilation);
}

LayerOutcome infer_kind(const AvgPool2d& layer, const InputShapes& inputs) {
  return infer_pool(layer, inputs[0], {1, 1});
}

LayerOutcome infer_kind(const GlobalAvgPool&, const InputShapes& inputs) {
  Image image = image_of(inputs[0]);
  image.size = {1, 1};
  return {{image_shape(image)}, {}};
}

LayerOutcome infer_kind(const LocalResponseNorm& layer, const InputShapes& inputs) {
  expect_positive("size", layer.size);
  return {{image_shape(image_of(inputs[0]))}, {}};
}

}  // namespace stint
