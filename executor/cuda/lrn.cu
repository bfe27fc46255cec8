// Local response normalisation, element by element: y = x s^−β, s = k + α/size Σ x² over
// neighbouring channels.
#include <cmath>

#include "executor/cuda/biases.hpp"
#include "executor/cuda/gpu_kernel.hpp"
#include "executor/cuda/launch.cuh"

namespace stint {
namespace {

struct LrnSizes {
  std::int64_t channels, stride;  // from channel to channel
  std::int64_t before, after;     // neighbours whose squares count for a channel
  double k, factor, beta;         // factor = α / size

  __host__ __device__ std::int64_t channel_of(std::int64_t i) const {
    return i / stride % channels;
  }
  __host__ __device__ double scale_of(const float* x, std::int64_t i) const {
    const std::int64_t channel = channel_of(i);
    double squares = 0;
    for (std::int64_t c = channel - before; c <= channel + after; ++c) {
      if (c < 0 || c >= channels) continue;
      const auto value = static_cast<double>(x[i + (c - channel) * stride]);
      squares += value * value;
    }
    return k + factor * squares;
  }
  __host__ __device__ double power_of(double scale) const { return pow(scale, -beta); }
};
LrnSizes lrn_sizes(const TaskKernel& kernel) {
  const auto& layer = layer_of<LocalResponseNorm>(kernel);
  const OuterChannels view = channels_of(kernel.reads[0], 1);
  return {view.channels,  view.inner,
          layer.size / 2, (layer.size - 1) / 2,
          layer.k,        layer.alpha / static_cast<double>(layer.size),
          layer.beta};
}

struct LrnOf {
  const float* x;
  float* y;
  LrnSizes sizes;
  __host__ __device__ void operator()(std::int64_t i) const {
    y[i] = static_cast<float>(static_cast<double>(x[i]) * sizes.power_of(sizes.scale_of(x, i)));
  }
};
std::unique_ptr<LeafKernel> make_lrn(const TaskKernel& kernel, const GpuQueue& queue) {
  const std::int64_t n = element_count(kernel.writes[0]);
  return gpu_kernel(
      [=, sizes = lrn_sizes(kernel), stream = queue.stream](const KernelArguments& arguments) {
        const LrnOf now{read_at(arguments, 0), write_at(arguments, 0), sizes};
        elements("lrn", stream, n, {reads(now.x, n), writes(now.y, n)}, now);
      });
}

// dx = dy s^−β − 2αβ/size x Σ dy x s^(−β−1), the sum over channels that x counts for.
struct LrnGradient {
  const float* x;
  const float* dy;
  float* dx;
  LrnSizes sizes;
  __host__ __device__ void operator()(std::int64_t i) const {
    const std::int64_t channel = sizes.channel_of(i);
    double sum = 0, own_power = 0;
    for (std::int64_t c = channel - sizes.after; c <= channel + sizes.before; ++c) {
      if (c < 0 || c >= sizes.channels) continue;
      const std::int64_t at = i + (c - channel) * sizes.stride;
      const double scale = sizes.scale_of(x, at);
      const double power = sizes.power_of(scale);
      if (c == channel) own_power = power;
      sum += static_cast<double>(dy[at]) * static_cast<double>(x[at]) * power / scale;
    }
    dx[i] = static_cast<float>(static_cast<double>(dy[i]) * own_power -
                               2 * sizes.factor * sizes.beta * static_cast<double>(x[i]) * sum);
  }
};
std::unique_ptr<LeafKernel> make_lrn_backward(const TaskKernel& kernel, const GpuQueue& queue) {
  const std::int64_t n = element_count(kernel.writes[0]);
  return gpu_kernel(
      [=, sizes = lrn_sizes(kernel), stream = queue.stream](const KernelArguments& arguments) {
        const LrnGradient now{read_at(arguments, 0), read_at(arguments, 1), write_at(arguments, 0),
                              sizes};
        elements("lrn backward", stream, n, {reads(now.x, n), reads(now.dy, n), writes(now.dx, n)},
                 now);
      });
}

}  // namespace

GpuKernels gpu_lrn_kernels() {
  static constexpr GpuKernel kernels[] = {{"lrn.forward", make_lrn},
                                          {"lrn.backward", make_lrn_backward}};
  return kernels;
}

}  // namespace stint
