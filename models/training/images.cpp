// Layers that slide a kernel over images.
#include <algorithm>
#include <cmath>

#include "models/training/kinds.hpp"
#include "models/training/small_convolution.hpp"

namespace stint {
namespace {

struct Sliding {
  Dimension samples{1};
  Dimension positions;        // where the kernel is put, over the batch
  std::int64_t taps = 0;      // elements under it, of one channel
  std::int64_t channels = 0;  // of one group, on the side that it slides over
  std::int64_t filters = 0;   // of one group, on the other side
  std::int64_t groups = 1;
  double share_inside = 1;  // of the taps: the others lie beyond the edge of the image
  Workspace workspace;
  // Of convolutions of few channels: for products, and for gradients of the input.
  BandedWork products;
  BandedWork input_gradient;
};

Dimension positions_in(const Shape& image) {
  return {image[0].count * image[2].count * image[3].count, image[0].per_sample};
}

// Kernels work in blocks of so many channels.
constexpr std::int64_t block_channels = 16;
constexpr std::int64_t scratch_bytes = 96 * 1024;

std::int64_t in_blocks(std::int64_t channels) {
  return (channels + block_channels - 1) / block_channels * block_channels;
}

std::int64_t pixels_in(const Shape& image) { return image[2].count * image[3].count; }

bool is_channels_last(const AppliedLayer& at, const TrainingBuilder& builder) {
  return builder.value(at.inputs[0]).channels_last || builder.value(at.outputs[0]).channels_last;
}

// A copy of the weight in blocks, of channels by filters but for kernels of one channel that are no
// larger than the image; of images too where their channels do not lie last; and a
// sample's images where a kernel of larger steps gathers them.
template <typename Convolution>
Workspace assumed_workspace(const Convolution& layer, const AppliedLayer& at,
                            const TrainingBuilder& builder) {
  const Shape& x = builder.value(at.inputs[0]).shape;
  const Shape& y = builder.value(at.outputs[0]).shape;
  const bool depthwise = layer.groups == x[1].count && layer.groups == y[1].count &&
                         layer.kernel[0] <= x[2].count && layer.kernel[1] <= x[3].count;
  const std::int64_t pairs = depthwise ? in_blocks(layer.groups)
                                       : layer.groups * in_blocks(x[1].count / layer.groups) *
                                             in_blocks(y[1].count / layer.groups);
  const std::int64_t image_bytes =
      float_bytes * (in_blocks(x[1].count) * pixels_in(x) + in_blocks(y[1].count) * pixels_in(y));
  const std::int64_t weight_bytes = float_bytes * layer.kernel[0] * layer.kernel[1] * pairs;
  Workspace workspace{scratch_bytes + weight_bytes + weight_bytes / 8};
  if (layer.stride != Pair{1, 1}) workspace.bytes += image_bytes;
  if (!is_channels_last(at, builder)) workspace.sample_bytes = image_bytes;
  return workspace;
}

// Pooling of images whose channels do not lie last copies a block of channels: input, output and
// indices.
Workspace pool_workspace(const AppliedLayer& at, const TrainingBuilder& builder) {
  if (is_channels_last(at, builder)) return {};
  const std::int64_t pixels = pixels_in(builder.value(at.inputs[0]).shape) +
                              2 * pixels_in(builder.value(at.outputs[0]).shape);
  constexpr std::int64_t small_bytes = 4096;
  return {small_bytes + float_bytes * block_channels * pixels};
}

Workspace workspace_of(const ConvTranspose2d& layer, const AppliedLayer& at,
                       const TrainingBuilder& builder) {
  return assumed_workspace(layer, at, builder);
}
Workspace workspace_of(const Conv2d& layer, const AppliedLayer& at,
                       const TrainingBuilder& builder) {
  const Shape& x = builder.value(at.inputs[0]).shape;
  if (!is_small_convolution(layer, x[1].count)) return assumed_workspace(layer, at, builder);
  return {small_convolution_bytes(layer, x[1].count, x[3].count,
                                  builder.value(at.outputs[0]).shape[3].count)};
}

// Along one side of an image: how the kernel is put on it.
struct SlidingSide {
  std::int64_t length = 0;     // of the image
  std::int64_t positions = 0;  // of the kernel
  std::int64_t kernel = 0;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t padding = 0;  // before the first element
};

// Positions at which the tap lies on the image. In floating point: sizes that no machine has must
// not overflow.
double positions_inside(const SlidingSide& side, std::int64_t tap) {
  const auto stride = static_cast<double>(side.stride);
  const double at = static_cast<double>(tap) * static_cast<double>(side.dilation) -
                    static_cast<double>(side.padding);
  const double first = std::max(0.0, std::ceil(-at / stride));
  const double last = std::min(static_cast<double>(side.positions) - 1,
                               std::floor((static_cast<double>(side.length) - 1 - at) / stride));
  return std::max(0.0, last - first + 1);
}

// Of kernels that are larger, as good as all.
double share_inside(const SlidingSide& side) {
  constexpr std::int64_t most_taps = 64;
  if (side.kernel > most_taps) return 1;
  double inside = 0;
  for (std::int64_t tap = 0; tap < side.kernel; ++tap) inside += positions_inside(side, tap);
  return inside / (static_cast<double>(side.kernel) * static_cast<double>(side.positions));
}

template <typename Convolution>
double share_inside(const Convolution& layer, const Shape& over, const Shape& from) {
  double share = 1;
  for (const std::size_t side : {0, 1})
    share *= share_inside({.length = over[2 + side].count,
                           .positions = from[2 + side].count,
                           .kernel = layer.kernel[side],
                           .stride = layer.stride[side],
                           .dilation = layer.dilation[side],
                           .padding = layer.padding[side]});
  return share;
}

void add_bands(const Conv2d& layer, const Shape& x, const Shape& y, Sliding& sliding) {
  if (!is_small_convolution(layer, x[1].count)) return;
  sliding.products = banded_products(y[2].count, y[3].count);
  sliding.input_gradient = banded_input_gradient(layer, x[3].count, y[2].count, y[3].count);
}
void add_bands(const ConvTranspose2d&, const Shape&, const Shape&, Sliding&) {}

// A convolution slides over its input, the transpose of one over its output.
template <typename Convolution>
Sliding sliding_of(const Convolution& layer, const AppliedLayer& at,
                   const TrainingBuilder& builder) {
  constexpr bool transposed = std::is_same_v<Convolution, ConvTranspose2d>;
  const Shape& over = builder.value(transposed ? at.outputs[0] : at.inputs[0]).shape;
  const Shape& from = builder.value(transposed ? at.inputs[0] : at.outputs[0]).shape;
  Sliding sliding{.samples = from[0],
                  .positions = positions_in(from),
                  .taps = layer.kernel[0] * layer.kernel[1],
                  .channels = over[1].count / layer.groups,
                  .filters = from[1].count / layer.groups,
                  .groups = layer.groups,
                  .share_inside = share_inside(layer, over, from),
                  .workspace = workspace_of(layer, at, builder)};
  add_bands(layer, over, from, sliding);
  return sliding;
}

// Channels of all groups in blocks, as a share of what there are.
double share_in_blocks(std::int64_t channels) {
  return static_cast<double>(in_blocks(channels)) / static_cast<double>(channels);
}

// The three products of a convolution have the same flops in different shapes.
Effort convolving(const Sliding& s, const BandedWork& banded, MatrixProducts products) {
  products.filter_blocks = s.share_inside * share_in_blocks(s.groups * s.filters);
  products.channel_blocks = s.share_inside * share_in_blocks(s.groups * s.channels);
  products.lane_blocks = banded.lanes;
  Effort effort{.products = {products}};
  if (banded.bands > 0) effort.bands = scaled(s.samples, banded.bands);
  if (s.taps > 1) effort.patch_elements = scaled(s.positions, s.channels * s.taps * s.groups);
  effort.workspace = s.workspace;
  return effort;
}

Effort gathering(const Sliding& s) {
  return convolving(s, s.products, {s.positions, {s.filters}, {s.channels * s.taps}, {s.groups}});
}

Effort scattering(const Sliding& s) {
  return convolving(s, s.input_gradient,
                    {s.positions, {s.channels * s.taps}, {s.filters}, {s.groups}});
}

Effort summing(const Sliding& s) {
  return convolving(s, s.products, {{s.filters}, {s.channels * s.taps}, s.positions, {s.groups}});
}

// Indices into the window, which say where a maximum came from.
Element index_element(const MaxPool2d& layer) {
  return layer.kernel[0] * layer.kernel[1] <= 256 ? Element::uint8 : Element::int32;
}

template <typename Pool>
Dimension pool_flops(const Pool& layer, const AppliedLayer& at, const TrainingBuilder& builder) {
  return scaled(builder.elements(at.outputs[0]), layer.kernel[0] * layer.kernel[1]);
}

// dx from dy alone, or from what was kept and dy.
void emit_pool_backward(const AppliedLayer& at, std::vector<ValueId> reads, Dimension flops,
                        TrainingBuilder& builder) {
  if (!builder.wants_gradient(at.inputs[0])) return;
  Operation operation = operation_of(at, "backward", Phase::backward);
  operation.reads = std::move(reads);
  operation.writes = {builder.new_gradient(at.inputs[0], at)};
  operation.effort.element_flops = flops;
  operation.effort.workspace = pool_workspace(at, builder);
  builder.emit(std::move(operation));
}

}  // namespace

void forward(const Conv2d& layer, AppliedLayer& at, TrainingBuilder& builder) {
  emit_forward(at, gathering(sliding_of(layer, at, builder)), builder);
}
void backward(const Conv2d& layer, const AppliedLayer& at, TrainingBuilder& builder) {
  const Sliding sliding = sliding_of(layer, at, builder);
  emit_weighted_backward(at, scattering(sliding), summing(sliding), builder);
}

void forward(const ConvTranspose2d& layer, AppliedLayer& at, TrainingBuilder& builder) {
  emit_forward(at, scattering(sliding_of(layer, at, builder)), builder);
}
void backward(const ConvTranspose2d& layer, const AppliedLayer& at, TrainingBuilder& builder) {
  const Sliding sliding = sliding_of(layer, at, builder);
  emit_weighted_backward(at, gathering(sliding), summing(sliding), builder);
}

// An execution whose indices nobody wants, such as one that only brings the output back, may leave
// them out; they are made again from the input.
void forward(const MaxPool2d& layer, AppliedLayer& at, TrainingBuilder& builder) {
  Operation operation = operation_of(at, "forward", Phase::forward);
  operation.reads = at.inputs;
  operation.writes = at.outputs;
  operation.effort.element_flops = pool_flops(layer, at, builder);
  operation.effort.workspace = pool_workspace(at, builder);
  if (builder.wants_gradient(at.inputs[0])) {
    Value indices = builder.value(at.outputs[0]);
    indices.name = at.name + ".indices";
    indices.element = index_element(layer);
    at.kept = builder.add_value(std::move(indices));
    operation.writes.push_back(at.kept);
    operation.optional = {at.kept};
  }
  builder.emit(std::move(operation));
}
void backward(const MaxPool2d&, const AppliedLayer& at, TrainingBuilder& builder) {
  emit_pool_backward(at, {at.kept, at.output_gradients[0]}, builder.elements(at.outputs[0]),
                     builder);
}

void forward(const AvgPool2d& layer, AppliedLayer& at, TrainingBuilder& builder) {
  emit_forward(
      at,
      {.element_flops = pool_flops(layer, at, builder), .workspace = pool_workspace(at, builder)},
      builder);
}
void backward(const AvgPool2d& layer, const AppliedLayer& at, TrainingBuilder& builder) {
  emit_pool_backward(at, {at.output_gradients[0]}, pool_flops(layer, at, builder), builder);
}

void forward(const GlobalAvgPool&, AppliedLayer& at, TrainingBuilder& builder) {
  emit_forward(
      at,
      {.element_flops = builder.elements(at.inputs[0]), .workspace = pool_workspace(at, builder)},
      builder);
}
void backward(const GlobalAvgPool&, const AppliedLayer& at, TrainingBuilder& builder) {
  emit_pool_backward(at, {at.output_gradients[0]}, builder.elements(at.inputs[0]), builder);
}

}  // namespace stint
