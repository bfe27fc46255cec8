// Layers that are products: linear ones by cuBLAS, convolutions by cuDNN, biases by kernels of
// ours.
//
// cuDNN wants the filters of images with their channels last with their channels last too; ours are
// listed with them first, so a copy of the filter stands in the workspace.
#include "executor/cpu/own/own_kernel.hpp"
#include "executor/cuda/gpu_kernel.hpp"
#include "executor/cuda/launch.cuh"
#include "files/input_error.hpp"
#include "models/training/workspace.hpp"

namespace stint {
namespace {

struct OuterChannels {
  std::int64_t outer, channels, inner;
  __host__ __device__ std::int64_t at(std::int64_t channel, std::int64_t i) const {
    return (i / inner * channels + channel) * inner + i % inner;
  }
  std::int64_t elements() const { return outer * channels * inner; }
};
OuterChannels channels_of(const KernelOperand& operand, std::int64_t axis) {
  const ChannelView view = view_around(operand, axis);
  return {view.outer, view.channels, view.inner};
}

struct AddToChannels {
  float* y;
  const float* bias;
  OuterChannels view;
  __host__ __device__ void operator()(std::int64_t i) const {
    y[i] += bias[i / view.inner % view.channels];
  }
};
void add_bias(const GpuQueue& queue, const OuterChannels& view, float* y, const float* bias) {
  const std::int64_t n = view.elements();
  elements("add of a bias", queue.stream, n, {writes(y, n), reads(bias, view.channels)},
           AddToChannels{y, bias, view});
}

struct SumOfChannel {
  using Sum = OneSum;
  const float* dy;
  float* bias;
  OuterChannels view;
  __host__ __device__ Sum sum(std::int64_t channel, int lane) const {
    Sum sum{0};
    for (std::int64_t i = lane; i < view.outer * view.inner; i += lanes_of_row)
      sum.a += static_cast<double>(dy[view.at(channel, i)]);
    return sum;
  }
  __host__ __device__ static Sum merged(Sum left, Sum right) { return added(left, right); }
  __host__ __device__ void finish(std::int64_t channel, Sum sum, int lane) const {
    if (lane == 0) bias[channel] = static_cast<float>(sum.a);
  }
};
void sum_bias(const GpuQueue& queue, const OuterChannels& view, const float* dy, float* bias) {
  rows("sums of a bias", queue.stream, view.channels,
       {reads(dy, view.elements()), writes(bias, view.channels)}, SumOfChannel{dy, bias, view});
}

constexpr const char* blas_algorithm = "cublas sgemm";

struct LinearSizes {
  std::int64_t rows, inputs, features;
};
LinearSizes linear_sizes(const KernelOperand& x, const KernelOperand& y) {
  const std::int64_t inputs = x.shape.back();
  return {element_count(x) / inputs, inputs, y.shape.back()};
}

// y = x Wᵀ + b, by rows; cuBLAS sees all of them transposed.
std::unique_ptr<LeafKernel> make_linear(const TaskKernel& kernel, const GpuQueue& queue) {
  const LinearSizes s = linear_sizes(kernel.reads[0], kernel.writes[0]);
  const bool biased = kernel.reads.size() > 2;
  return gpu_kernel(
      [=](const KernelArguments& arguments) {
        float* y = write_at(arguments, 0);
        multiply(queue.blas, {s.features, s.rows, s.inputs},
                 {read_at(arguments, 1), true, s.inputs}, {read_at(arguments, 0), false, s.inputs},
                 {y, s.features});
        if (biased) add_bias(queue, {s.rows, s.features, 1}, y, read_at(arguments, 2));
      },
      0, blas_algorithm);
}
std::unique_ptr<LeafKernel> make_linear_data(const TaskKernel& kernel, const GpuQueue& queue) {
  const LinearSizes s = linear_sizes(kernel.writes[0], kernel.reads[1]);
  return gpu_kernel(
      [=](const KernelArguments& arguments) {
        multiply(queue.blas, {s.inputs, s.rows, s.features},
                 {read_at(arguments, 0), false, s.inputs},
                 {read_at(arguments, 1), false, s.features}, {write_at(arguments, 0), s.inputs});
      },
      0, blas_algorithm);
}
std::unique_ptr<LeafKernel> make_linear_weights(const TaskKernel& kernel, const GpuQueue& queue) {
  const LinearSizes s = linear_sizes(kernel.reads[0], kernel.reads[1]);
  const bool biased = kernel.writes.size() > 1;
  return gpu_kernel(
      [=](const KernelArguments& arguments) {
        const float* dy = read_at(arguments, 1);
        multiply(queue.blas, {s.inputs, s.features, s.rows},
                 {read_at(arguments, 0), false, s.inputs}, {dy, true, s.features},
                 {write_at(arguments, 0), s.inputs});
        if (biased) sum_bias(queue, {s.rows, s.features, 1}, dy, write_at(arguments, 1));
      },
      0, blas_algorithm);
}

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
  std::shared_ptr<const DnnProblem> problem;
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

// Whether it may be read as lying so: of one channel, or of one pixel, both are the same.
bool lies_as(const KernelOperand& image, DnnLayout layout) {
  const bool same_in_both = image.shape[1] == 1 || image.shape[2] * image.shape[3] == 1;
  return same_in_both || image.channels_last == (layout == DnnLayout::channels_last);
}
DnnLayout layout_of(const TaskKernel& kernel, const KernelOperand& x, const KernelOperand& y) {
  for (const DnnLayout layout : {DnnLayout::channels_last, DnnLayout::channels_first}) {
    if (lies_as(x, layout) && lies_as(y, layout)) return layout;
  }
  throw InputError(kernel.op, "input and output lie in two orders; expected one on GPUs");
}

DnnSlide slide_of(const TaskKernel& kernel, const Conv2d& layer) {
  DnnSlide slide;
  for (const int axis : {0, 1}) {
    if (layer.padding[axis] != layer.padding[axis + 2])
      throw InputError(kernel.op,
                       "more padding at one end than at the other; expected as much on "
                       "GPUs");
    slide.padding[axis] = in_int(kernel, layer.padding[axis]);
    slide.stride[axis] = in_int(kernel, layer.stride[axis]);
    slide.dilation[axis] = in_int(kernel, layer.dilation[axis]);
  }
  slide.groups = in_int(kernel, layer.groups);
  return slide;
}

GpuConvolution convolution_of(const TaskKernel& kernel, const GpuQueue& queue, DnnProduct product,
                              const KernelOperand& x, const KernelOperand& y) {
  const auto& layer = layer_of<Conv2d>(kernel);
  const DnnLayout layout = layout_of(kernel, x, y);
  GpuConvolution made{.product = product, .output = channels_of(y, 1)};
  made.filter = {in_int(kernel, layer.filters), in_int(kernel, x.shape[1] / layer.groups),
                 in_int(kernel, layer.kernel[0]), in_int(kernel, layer.kernel[1])};
  auto problem = std::make_shared<DnnProblem>();
  problem->x = make_dnn_tensor(sizes_of(kernel, x), layout);
  problem->y = make_dnn_tensor(sizes_of(kernel, y), layout);
  problem->filter = make_dnn_filter(made.filter, layout);
  problem->convolution = make_dnn_convolution(slide_of(kernel, layer));
  made.library_bytes = dnn_workspace_bytes(queue.dnn, *problem, product);
  made.problem = std::move(problem);
  made.is_turned = layout == DnnLayout::channels_last && made.filter.channels > 1 &&
                   made.filter.height * made.filter.width > 1;
  if (made.is_turned)
    made.filter_bytes = aligned_workspace(made.filter_elements() * bytes_of(Element::f32));
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
  float* const listed = images.filter;
  if (of.is_turned) images.filter = reinterpret_cast<float*>(workspace);
  const bool writes_filter = of.product == DnnProduct::backward_filter;
  if (of.is_turned && !writes_filter) turn(of, queue, listed, images.filter, true);
  const auto bytes = static_cast<std::size_t>(of.library_bytes);
  convolve(queue.dnn, *of.problem, of.product, images,
           {bytes > 0 ? workspace + of.filter_bytes : nullptr, bytes});
  if (of.is_turned && writes_filter) turn(of, queue, images.filter, listed, false);
}

float* read_to_hand_on(const KernelArguments& arguments, std::size_t i) {
  return const_cast<float*>(read_at(arguments, i));
}

std::unique_ptr<LeafKernel> make_convolution(const TaskKernel& kernel, const GpuQueue& queue) {
  const auto of =
      convolution_of(kernel, queue, DnnProduct::forward, kernel.reads[0], kernel.writes[0]);
  const bool biased = kernel.reads.size() > 2;
  return gpu_kernel(
      [=](const KernelArguments& arguments) {
        float* y = write_at(arguments, 0);
        run(of, queue, {read_to_hand_on(arguments, 0), y, read_to_hand_on(arguments, 1)},
            arguments.workspace);
        if (biased) add_bias(queue, of.output, y, read_at(arguments, 2));
      },
      of.workspace_bytes(), algorithm_name(of.product));
}
std::unique_ptr<LeafKernel> make_convolution_data(const TaskKernel& kernel, const GpuQueue& queue) {
  const auto of =
      convolution_of(kernel, queue, DnnProduct::backward_data, kernel.writes[0], kernel.reads[1]);
  return gpu_kernel(
      [=](const KernelArguments& arguments) {
        run(of, queue,
            {write_at(arguments, 0), read_to_hand_on(arguments, 1), read_to_hand_on(arguments, 0)},
            arguments.workspace);
      },
      of.workspace_bytes(), algorithm_name(of.product));
}
std::unique_ptr<LeafKernel> make_convolution_weights(const TaskKernel& kernel,
                                                     const GpuQueue& queue) {
  const auto of =
      convolution_of(kernel, queue, DnnProduct::backward_filter, kernel.reads[0], kernel.reads[1]);
  const bool biased = kernel.writes.size() > 1;
  return gpu_kernel(
      [=](const KernelArguments& arguments) {
        run(of, queue,
            {read_to_hand_on(arguments, 0), read_to_hand_on(arguments, 1), write_at(arguments, 0)},
            arguments.workspace);
        if (biased) sum_bias(queue, of.output, read_at(arguments, 1), write_at(arguments, 1));
      },
      of.workspace_bytes(), algorithm_name(of.product));
}

constexpr GpuKernel kernels[] = {{"linear.forward", make_linear},
                                 {"linear.backward_data", make_linear_data},
                                 {"linear.backward_weights", make_linear_weights},
                                 {"conv2d.forward", make_convolution},
                                 {"conv2d.backward_data", make_convolution_data},
                                 {"conv2d.backward_weights", make_convolution_weights}};

}  // namespace

GpuKernels gpu_product_kernels() { return kernels; }

}  // namespace stint
