// Pooling. Indices of maxima are those of the CPU's kernels: the place in the window. Backward asks
// every input which windows it is in, so that nothing is added to the same place at once.
#include <algorithm>
#include <cmath>

#include "executor/cpu/own/own_kernel.hpp"
#include "executor/cuda/gpu_kernel.hpp"
#include "executor/cuda/launch.cuh"
#include "files/input_error.hpp"

namespace stint {
namespace {

// An image as it lies in memory.
struct GpuImage {
  std::int64_t channels, height, width;
  bool channels_last;
  std::int64_t elements;
  struct Position {
    std::int64_t sample, channel, row, column;
  };
  __host__ __device__ std::int64_t at(const Position& p) const {
    if (channels_last)
      return ((p.sample * height + p.row) * width + p.column) * channels + p.channel;
    return ((p.sample * channels + p.channel) * height + p.row) * width + p.column;
  }
  __host__ __device__ Position position(std::int64_t i) const {
    if (channels_last)
      return {i / channels / width / height, i % channels, i / channels / width % height,
              i / channels % width};
    return {i / width / height / channels, i / width / height % channels, i / width % height,
            i % width};
  }
};
GpuImage image_of(const KernelOperand& operand) {
  const auto& s = operand.shape;
  return {s[1], s[2], s[3], operand.channels_last, element_count(operand)};
}

struct GpuWindow {
  std::int64_t height, width;
  std::int64_t stride[2], padding[2], dilation[2];
};

template <typename Index>
struct MaxForward {
  const float* x;
  float* y;
  Index* indices;  // null: left out
  GpuImage in, out;
  GpuWindow window;
  __host__ __device__ void operator()(std::int64_t i) const {
    const auto at = out.position(i);
    float most = -INFINITY;
    std::int64_t most_index = -1;
    for (std::int64_t k = 0; k < window.height * window.width; ++k) {
      const std::int64_t row =
          at.row * window.stride[0] - window.padding[0] + k / window.width * window.dilation[0];
      const std::int64_t column =
          at.column * window.stride[1] - window.padding[1] + k % window.width * window.dilation[1];
      if (row < 0 || row >= in.height || column < 0 || column >= in.width) continue;
      const float value = x[in.at({at.sample, at.channel, row, column})];
      if (most_index >= 0 && !(value > most) && !(isnan(value) && !isnan(most))) continue;
      most = value;
      most_index = k;
    }
    y[i] = most;
    if (indices != nullptr) indices[i] = static_cast<Index>(most_index);
  }
};

template <typename Index>
struct MaxBackward {
  const Index* indices;
  const float* dy;
  float* dx;
  GpuImage in, out;
  GpuWindow window;
  __host__ __device__ void operator()(std::int64_t i) const {
    const auto at = in.position(i);
    float sum = 0;
    for (std::int64_t k = window.height * window.width; k-- > 0;) {
      const std::int64_t row = at.row + window.padding[0] - k / window.width * window.dilation[0];
      const std::int64_t column =
          at.column + window.padding[1] - k % window.width * window.dilation[1];
      if (row < 0 || column < 0 || row % window.stride[0] != 0 || column % window.stride[1] != 0)
        continue;
      if (row / window.stride[0] >= out.height || column / window.stride[1] >= out.width) continue;
      const std::int64_t from =
          out.at({at.sample, at.channel, row / window.stride[0], column / window.stride[1]});
      if (static_cast<std::int64_t>(indices[from]) == k) sum += dy[from];
    }
    dx[i] = sum;
  }
};

template <typename Pool>
GpuWindow window_of(const Pool& layer, const Pair& dilation) {
  GpuWindow window{layer.kernel[0], layer.kernel[1], {}, {}, {}};
  for (const int axis : {0, 1}) {
    window.stride[axis] = layer.stride[axis];
    window.padding[axis] = layer.padding[axis];
    window.dilation[axis] = dilation[axis];
  }
  return window;
}
GpuWindow window_of(const MaxPool2d& layer) { return window_of(layer, layer.dilation); }

template <typename Index>
std::unique_ptr<LeafKernel> max_forward(const TaskKernel& kernel, const GpuQueue& queue) {
  const MaxForward<Index> sizes{nullptr,
                                nullptr,
                                nullptr,
                                image_of(kernel.reads[0]),
                                image_of(kernel.writes[0]),
                                window_of(layer_of<MaxPool2d>(kernel))};
  return gpu_kernel([=, stream = queue.stream](const KernelArguments& arguments) {
    MaxForward<Index> now = sizes;
    const std::int64_t n = now.out.elements;
    now.x = read_at(arguments, 0);
    now.y = write_at(arguments, 0);
    now.indices = arguments.writes.size() > 1 ? write_at<Index>(arguments, 1) : nullptr;
    elements("max_pool2d", stream, n,
             {reads(now.x, now.in.elements), writes(now.y, n), writes(now.indices, n)}, now);
  });
}
template <typename Index>
std::unique_ptr<LeafKernel> max_backward(const TaskKernel& kernel, const GpuQueue& queue) {
  const MaxBackward<Index> sizes{nullptr,
                                 nullptr,
                                 nullptr,
                                 image_of(kernel.writes[0]),
                                 image_of(kernel.reads[1]),
                                 window_of(layer_of<MaxPool2d>(kernel))};
  return gpu_kernel([=, stream = queue.stream](const KernelArguments& arguments) {
    MaxBackward<Index> now = sizes;
    const std::int64_t n = now.out.elements;
    now.indices = read_at<Index>(arguments, 0);
    now.dy = read_at(arguments, 1);
    now.dx = write_at(arguments, 0);
    elements("max_pool2d backward", stream, now.in.elements,
             {reads(now.indices, n), reads(now.dy, n), writes(now.dx, now.in.elements)}, now);
  });
}

bool has_small_window(const TaskKernel& kernel) {
  const Pair& window = layer_of<MaxPool2d>(kernel).kernel;
  return window[0] * window[1] <= 256;
}
std::unique_ptr<LeafKernel> make_max(const TaskKernel& kernel, const GpuQueue& queue) {
  return has_small_window(kernel) ? max_forward<std::uint8_t>(kernel, queue)
                                  : max_forward<std::int32_t>(kernel, queue);
}
std::unique_ptr<LeafKernel> make_max_backward(const TaskKernel& kernel, const GpuQueue& queue) {
  return has_small_window(kernel) ? max_backward<std::uint8_t>(kernel, queue)
                                  : max_backward<std::int32_t>(kernel, queue);
}

// Means over windows. Along an axis a window reaches from `first` to `end`, of what is in the
// image; with padding counted it is divided by what is in the padded image.
struct MeanWindow {
  GpuImage in, out;
  GpuWindow window;
  std::int64_t padding_end[2];
  bool counts_padding;
  struct Side {
    std::int64_t first, end, divisor;
  };
  __host__ __device__ Side side(int axis, std::int64_t at) const {
    const std::int64_t length = axis == 0 ? in.height : in.width;
    const std::int64_t reach = axis == 0 ? window.height : window.width;
    const std::int64_t begin = at * window.stride[axis] - window.padding[axis];
    const std::int64_t padded = length + padding_end[axis];
    const std::int64_t last = begin + reach < padded ? begin + reach : padded;
    const std::int64_t first = begin < 0 ? 0 : begin;
    const std::int64_t end = last < length ? last : length;
    return {first, end, counts_padding ? last - begin : end - first};
  }
};
MeanWindow mean_window(const TaskKernel& kernel, const KernelOperand& in,
                       const KernelOperand& out) {
  const auto& layer = layer_of<AvgPool2d>(kernel);
  return {image_of(in),
          image_of(out),
          window_of(layer, {1, 1}),
          {layer.padding[2], layer.padding[3]},
          layer.count_padding};
}

struct MeanForward {
  const float* x;
  float* y;
  MeanWindow of;
  __host__ __device__ void operator()(std::int64_t i) const {
    const auto at = of.out.position(i);
    const auto rows = of.side(0, at.row), columns = of.side(1, at.column);
    float sum = 0;
    for (std::int64_t row = rows.first; row < rows.end; ++row)
      for (std::int64_t column = columns.first; column < columns.end; ++column)
        sum += x[of.in.at({at.sample, at.channel, row, column})];
    y[i] = sum / static_cast<float>(rows.divisor * columns.divisor);
  }
};
std::unique_ptr<LeafKernel> make_mean(const TaskKernel& kernel, const GpuQueue& queue) {
  const MeanWindow of = mean_window(kernel, kernel.reads[0], kernel.writes[0]);
  return gpu_kernel([=, stream = queue.stream](const KernelArguments& arguments) {
    const MeanForward now{read_at(arguments, 0), write_at(arguments, 0), of};
    elements("avg_pool2d", stream, of.out.elements,
             {reads(now.x, of.in.elements), writes(now.y, of.out.elements)}, now);
  });
}

struct MeanBackward {
  const float* dy;
  float* dx;
  MeanWindow of;
  // The first window that reaches a place, of all that begin at or before it.
  __host__ __device__ std::int64_t first_window(int axis, std::int64_t at) const {
    const std::int64_t reach = axis == 0 ? of.window.height : of.window.width;
    const std::int64_t ahead = at + of.window.padding[axis] - reach;
    return ahead < 0 ? 0 : ahead / of.window.stride[axis] + 1;
  }
  __host__ __device__ std::int64_t end_window(int axis, std::int64_t at) const {
    const std::int64_t windows = axis == 0 ? of.out.height : of.out.width;
    const std::int64_t end = (at + of.window.padding[axis]) / of.window.stride[axis] + 1;
    return end < windows ? end : windows;
  }
  __host__ __device__ void operator()(std::int64_t i) const {
    const auto at = of.in.position(i);
    float sum = 0;
    for (std::int64_t row = first_window(0, at.row); row < end_window(0, at.row); ++row) {
      const std::int64_t rows = of.side(0, row).divisor;
      for (std::int64_t column = first_window(1, at.column); column < end_window(1, at.column);
           ++column)
        sum += dy[of.out.at({at.sample, at.channel, row, column})] /
               static_cast<float>(rows * of.side(1, column).divisor);
    }
    dx[i] = sum;
  }
};
std::unique_ptr<LeafKernel> make_mean_backward(const TaskKernel& kernel, const GpuQueue& queue) {
  const MeanWindow of = mean_window(kernel, kernel.writes[0], kernel.reads[0]);
  return gpu_kernel([=, stream = queue.stream](const KernelArguments& arguments) {
    const MeanBackward now{read_at(arguments, 0), write_at(arguments, 0), of};
    elements("avg_pool2d backward", stream, of.in.elements,
             {reads(now.dy, of.out.elements), writes(now.dx, of.in.elements)}, now);
  });
}

// A row for every channel of every sample.
struct MeanOfPixels {
  using Sum = OneSum;
  const float* x;
  float* y;
  GpuImage in;
  __host__ __device__ std::int64_t pixels() const { return in.height * in.width; }
  __host__ __device__ Sum sum(std::int64_t row, int lane) const {
    Sum sum{0};
    for (std::int64_t i = lane; i < pixels(); i += lanes_of_row)
      sum.a += static_cast<double>(
          x[in.at({row / in.channels, row % in.channels, i / in.width, i % in.width})]);
    return sum;
  }
  __host__ __device__ static Sum merged(Sum left, Sum right) { return added(left, right); }
  __host__ __device__ void finish(std::int64_t row, Sum sum, int lane) const {
    if (lane == 0) y[row] = static_cast<float>(sum.a / static_cast<double>(pixels()));
  }
};
std::unique_ptr<LeafKernel> make_global(const TaskKernel& kernel, const GpuQueue& queue) {
  const GpuImage image = image_of(kernel.reads[0]);
  const std::int64_t n = element_count(kernel.writes[0]);
  return gpu_kernel([=, stream = queue.stream](const KernelArguments& arguments) {
    const MeanOfPixels now{read_at(arguments, 0), write_at(arguments, 0), image};
    rows("global_avg_pool", stream, n, {reads(now.x, image.elements), writes(now.y, n)}, now);
  });
}

struct SpreadOverPixels {
  const float* dy;
  float* dx;
  GpuImage in;
  float share;
  __host__ __device__ void operator()(std::int64_t i) const {
    const auto at = in.position(i);
    dx[i] = dy[at.sample * in.channels + at.channel] * share;
  }
};
std::unique_ptr<LeafKernel> make_global_backward(const TaskKernel& kernel, const GpuQueue& queue) {
  const GpuImage image = image_of(kernel.writes[0]);
  const std::int64_t n = element_count(kernel.reads[0]);
  const auto share = static_cast<float>(1 / static_cast<double>(image.height * image.width));
  return gpu_kernel([=, stream = queue.stream](const KernelArguments& arguments) {
    const SpreadOverPixels now{read_at(arguments, 0), write_at(arguments, 0), image, share};
    elements("global_avg_pool backward", stream, image.elements,
             {reads(now.dy, n), writes(now.dx, image.elements)}, now);
  });
}

}  // namespace

GpuKernels gpu_pool_kernels() {
  static constexpr GpuKernel kernels[] = {
      {"max_pool2d.forward", make_max},         {"max_pool2d.backward", make_max_backward},
      {"avg_pool2d.forward", make_mean},        {"avg_pool2d.backward", make_mean_backward},
      {"global_avg_pool.forward", make_global}, {"global_avg_pool.backward", make_global_backward}};
  return kernels;
}

}  // namespace stint
