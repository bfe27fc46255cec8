// Convolutions by cuDNN, with biases by kernels of ours; by loops of ours (direct_convolution.hpp)
// where cuDNN has no deterministic kernel, or none that a plan's workspace suffices for.
//
// The transpose of a convolution is computed by the same three products with image and result in
// each other's place: forward is backward to data, and the other way round.
//
// cuDNN wants the filters of images with their channels last with their channels last too; ours are
// listed with them first, so a copy of the filter stands in the workspace.
#include "executor/cuda/biases.hpp"
#include "executor/cuda/direct_convolution.hpp"
#include "executor/cuda/dnn_calls.hpp"
#include "executor/cuda/launch.cuh"
#include "files/input_error.hpp"
#include "models/training/workspace.hpp"

namespace stint {
namespace {

// A filter with its channels before its taps, or after them.
struct TurnedFilter {
  const float* from;
  float* to;
  std::int64_t channels, taps;
  bool channels_last;  // of `to`
  __host__ __device__ void operator()(std::int64_t i) const {
    const std::int64_t filter = i / (channels * taps), at = i % (channels * taps);
    const std::int64_t other =
        channels_last ? at % channels * taps + at / channels : at % taps * channels + at / taps;
    to[i] = from[filter * channels * taps + other];
  }
};

// One product of a layer, with all that it needs.
struct GpuConvolution {
  std::shared_ptr<const DnnProblem> problem;  // null: by the loops of ours
  DnnAlgorithm algorithm;
  DirectConvolution direct;
  DnnProduct product = DnnProduct::forward;
  DnnFilterSizes filter;
  bool is_turned = false;          // the filter is copied into the workspace
  std::int64_t filter_bytes = 0;   // of the copy, aligned
  std::int64_t library_bytes = 0;  // of workspace
  OuterChannels output;            // for the bias

  std::int64_t filter_elements() const {
    return std::int64_t{filter.filters} * filter.channels * filter.height * filter.width;
  }
  std::int64_t workspace_bytes() const { return filter_bytes + library_bytes; }
};

int in_int(const TaskKernel& kernel, std::int64_t size) {
  if (size >= 0 && size <= 0x7fffffff) return static_cast<int>(size);
  throw InputError(kernel.op, "a size beyond 2³¹; expected smaller ones on GPUs");
}
DnnSizes sizes_of(const TaskKernel& kernel, const KernelOperand& image) {
  const auto& s = image.shape;
  return {in_int(kernel, s[0]), in_int(kernel, s[1]), in_int(kernel, s[2]), in_int(kernel, s[3])};
}

// What the filter slides over, and what it makes of it.
struct ConvolvedImages {
  const KernelOperand& x;
  const KernelOperand& y;
};

// Whether it may be read as lying so: of one channel, or of one pixel, both are the same.
bool lies_as(const KernelOperand& image, DnnLayout layout) {
  const bool same_in_both = image.shape[1] == 1 || image.shape[2] * image.shape[3] == 1;
  return same_in_both || image.channels_last == (layout == DnnLayout::channels_last);
}
// Nothing: input and output lie in two orders.
std::optional<DnnLayout> layout_of(const KernelOperand& x, const KernelOperand& y) {
  for (const DnnLayout layout : {DnnLayout::channels_last, DnnLayout::channels_first}) {
    if (lies_as(x, layout) && lies_as(y, layout)) return layout;
  }
  return std::nullopt;
}

// Nothing: there is more padding at one end than at the other.
template <typename Convolution>
std::optional<DnnSlide> slide_of(const TaskKernel& kernel, const Convolution& layer) {
  DnnSlide slide;
  for (const int axis : {0, 1}) {
    if (layer.padding[axis] != layer.padding[axis + 2]) return std::nullopt;
    slide.padding[axis] = in_int(kernel, layer.padding[axis]);
    slide.stride[axis] = in_int(kernel, layer.stride[axis]);
    slide.dilation[axis] = in_int(kernel, layer.dilation[axis]);
  }
  slide.groups = in_int(kernel, layer.groups);
  return slide;
}

// By cuDNN, if it has a kernel: the n-th of those that it has, counted down in `way`.
bool use_library(GpuConvolution& made, const TaskKernel& kernel, const GpuQueue& queue,
                 const std::optional<DnnSlide>& slide, const ConvolvedImages& images, int way) {
  const auto& [x, y] = images;
  const auto layout = layout_of(x, y);
  if (!layout || !slide) return false;
  auto problem = std::make_shared<DnnProblem>();
  problem->x = make_dnn_tensor(sizes_of(kernel, x), *layout);
  problem->y = make_dnn_tensor(sizes_of(kernel, y), *layout);
  problem->filter = make_dnn_filter(made.filter, *layout);
  problem->convolution = make_dnn_convolution(*slide);
  for (const DnnAlgorithm& algorithm : deterministic_algorithms(made.product)) {
    const auto bytes = dnn_workspace_bytes(queue.dnn, *problem, made.product, algorithm);
    if (!bytes || way-- > 0) continue;
    made.algorithm = algorithm;
    made.library_bytes = *bytes;
    made.problem = std::move(problem);
    made.is_turned = *layout == DnnLayout::channels_last && made.filter.channels > 1 &&
                     made.filter.height * made.filter.width > 1;
    if (made.is_turned)
      made.filter_bytes = aligned_workspace(made.filter_elements() * bytes_of(Element::f32));
    return true;
  }
  return false;
}

// `bias_of` is the layer's output, or its gradient.
template <typename Convolution>
GpuConvolution convolution_of(const TaskKernel& kernel, const GpuQueue& queue, DnnProduct product,
                              const ConvolvedImages& images, const KernelOperand& bias_of) {
  const auto& layer = layer_of<Convolution>(kernel);
  GpuConvolution made{.product = product, .output = channels_of(bias_of, 1)};
  made.filter = {in_int(kernel, images.y.shape[1]),
                 in_int(kernel, images.x.shape[1] / layer.groups), in_int(kernel, layer.kernel[0]),
                 in_int(kernel, layer.kernel[1])};
  if (use_library(made, kernel, queue, slide_of(kernel, layer), images, queue.way)) return made;
  made.algorithm.name = "stint direct";
  made.direct = direct_convolution(layer, images.x, images.y);
  return made;
}

void turn(const GpuConvolution& of, const GpuQueue& queue, const float* from, float* to,
          bool channels_last) {
  const std::int64_t n = of.filter_elements();
  const std::int64_t taps = std::int64_t{of.filter.height} * of.filter.width;
  elements("turn of a filter", queue.stream, n, {reads(from, n), writes(to, n)},
           TurnedFilter{from, to, of.filter.channels, taps, channels_last});
}

// `images.filter` is as listed.
void run(const GpuConvolution& of, const GpuQueue& queue, DnnImages images, std::byte* workspace) {
  if (!of.problem) return convolve_directly(queue, of.direct, of.product, images);
  float* const listed = images.filter;
  if (of.is_turned) images.filter = reinterpret_cast<float*>(workspace);
  const bool writes_filter = of.product == DnnProduct::backward_filter;
  if (of.is_turned && !writes_filter) turn(of, queue, listed, images.filter, true);
  const auto bytes = static_cast<std::size_t>(of.library_bytes);
  convolve(queue.dnn, *of.problem, of.product, of.algorithm, images,
           {bytes > 0 ? workspace + of.filter_bytes : nullptr, bytes});
  if (of.is_turned && writes_filter) turn(of, queue, images.filter, listed, false);
}

float* read_to_hand_on(const KernelArguments& arguments, std::size_t i) {
  return const_cast<float*>(read_at(arguments, i));
}

// From the input to the output, or from the output's gradient to the input's: `of` writes an image.
std::unique_ptr<LeafKernel> make_image_kernel(const GpuConvolution& of, const GpuQueue& queue,
                                              std::size_t image, std::size_t filter, bool biased) {
  return gpu_kernel(
      [=](const KernelArguments& arguments) {
        float* const read = read_to_hand_on(arguments, image);
        float* const written = write_at(arguments, 0);
        float* const weight = read_to_hand_on(arguments, filter);
        const bool gathers = of.product == DnnProduct::forward;
        run(of, queue, {gathers ? read : written, gathers ? written : read, weight},
            arguments.workspace);
        if (biased) add_bias(queue, of.output, written, read_at(arguments, 2));
      },
      of.workspace_bytes(), of.algorithm.name);
}

// From the input and the output's gradient, of which `x` is the larger image.
std::unique_ptr<LeafKernel> make_filter_kernel(const GpuConvolution& of, const GpuQueue& queue,
                                               std::size_t x, bool biased) {
  return gpu_kernel(
      [=](const KernelArguments& arguments) {
        run(of, queue,
            {read_to_hand_on(arguments, x), read_to_hand_on(arguments, 1 - x),
             write_at(arguments, 0)},
            arguments.workspace);
        if (biased) sum_bias(queue, of.output, read_at(arguments, 1), write_at(arguments, 1));
      },
      of.workspace_bytes(), of.algorithm.name);
}

std::unique_ptr<LeafKernel> make_convolution(const TaskKernel& kernel, const GpuQueue& queue) {
  const ConvolvedImages images{kernel.reads[0], kernel.writes[0]};
  return make_image_kernel(
      convolution_of<Conv2d>(kernel, queue, DnnProduct::forward, images, images.y), queue, 0, 1,
      kernel.reads.size() > 2);
}
std::unique_ptr<LeafKernel> make_convolution_data(const TaskKernel& kernel, const GpuQueue& queue) {
  const ConvolvedImages images{kernel.writes[0], kernel.reads[1]};
  return make_image_kernel(
      convolution_of<Conv2d>(kernel, queue, DnnProduct::backward_data, images, images.y), queue, 1,
      0, false);
}
std::unique_ptr<LeafKernel> make_convolution_weights(const TaskKernel& kernel,
                                                     const GpuQueue& queue) {
  const ConvolvedImages images{kernel.reads[0], kernel.reads[1]};
  return make_filter_kernel(
      convolution_of<Conv2d>(kernel, queue, DnnProduct::backward_filter, images, images.y), queue,
      0, kernel.writes.size() > 1);
}

std::unique_ptr<LeafKernel> make_transposed(const TaskKernel& kernel, const GpuQueue& queue) {
  const ConvolvedImages images{kernel.writes[0], kernel.reads[0]};
  return make_image_kernel(
      convolution_of<ConvTranspose2d>(kernel, queue, DnnProduct::backward_data, images, images.x),
      queue, 0, 1, kernel.reads.size() > 2);
}
std::unique_ptr<LeafKernel> make_transposed_data(const TaskKernel& kernel, const GpuQueue& queue) {
  const ConvolvedImages images{kernel.reads[1], kernel.writes[0]};
  return make_image_kernel(
      convolution_of<ConvTranspose2d>(kernel, queue, DnnProduct::forward, images, images.x), queue,
      1, 0, false);
}
std::unique_ptr<LeafKernel> make_transposed_weights(const TaskKernel& kernel,
                                                    const GpuQueue& queue) {
  const ConvolvedImages images{kernel.reads[1], kernel.reads[0]};
  return make_filter_kernel(
      convolution_of<ConvTranspose2d>(kernel, queue, DnnProduct::backward_filter, images, images.x),
      queue, 1, kernel.writes.size() > 1);
}

}  // namespace

// Ways: what cuDNN has, and the loops of ours.
GpuKernels gpu_convolution_kernels() {
  static constexpr GpuKernel kernels[] = {
      {"conv2d.forward", make_convolution, 8},
      {"conv2d.backward_data", make_convolution_data, 6},
      {"conv2d.backward_weights", make_convolution_weights, 5},
      {"conv_transpose2d.forward", make_transposed, 6},
      {"conv_transpose2d.backward_data", make_transposed_data, 8},
      {"conv_transpose2d.backward_weights", make_transposed_weights, 5}};
  return kernels;
}

}  // namespace stint
