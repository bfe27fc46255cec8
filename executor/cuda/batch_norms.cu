// Batch normalisation in the parts that executor/cpu/own has it in. Statistics are [2, channels]:
// means, then variances divided by the number of elements they were taken from.
#include <cmath>

#include "executor/cpu/own/own_kernel.hpp"
#include "executor/cuda/gpu_kernel.hpp"
#include "executor/cuda/launch.cuh"

namespace stint {
namespace {

// As ChannelView, for devices.
struct ChannelIndex {
  std::int64_t outer, channels, inner;
  __host__ __device__ std::int64_t per_channel() const { return outer * inner; }
  __host__ __device__ std::int64_t at(std::int64_t channel, std::int64_t i) const {
    return (i / inner * channels + channel) * inner + i % inner;
  }
  __host__ __device__ std::int64_t channel_of(std::int64_t element) const {
    return element / inner % channels;
  }
  std::int64_t elements() const { return outer * channels * inner; }
};
ChannelIndex index_around_channels(const KernelOperand& operand) {
  const ChannelView view = view_around(operand, 1);
  return {view.outer, view.channels, view.inner};
}

__host__ __device__ inline float inverse_deviation(float variance, float epsilon) {
  return 1.0F / sqrtf(variance + epsilon);
}

// Sums of differences from the first element of a channel and of their squares.
struct BatchStatistics {
  using Sum = TwoSums;
  const float* x;
  float* statistics;
  ChannelIndex index;
  __host__ __device__ Sum sum(std::int64_t channel, int lane) const {
    const float first = x[channel * index.inner];
    Sum sum{0, 0};
    for (std::int64_t i = lane; i < index.per_channel(); i += lanes_of_row) {
      const auto apart = static_cast<double>(x[index.at(channel, i)] - first);
      sum.a += apart;
      sum.b += apart * apart;
    }
    return sum;
  }
  __host__ __device__ static Sum merged(Sum left, Sum right) { return added(left, right); }
  __host__ __device__ void finish(std::int64_t channel, Sum sum, int lane) const {
    if (lane != 0) return;
    const auto count = static_cast<double>(index.per_channel());
    const double shift = sum.a / count;
    const double variance = sum.b / count - shift * shift;
    statistics[channel] = static_cast<float>(static_cast<double>(x[channel * index.inner]) + shift);
    statistics[index.channels + channel] = static_cast<float>(variance < 0 ? 0 : variance);
  }
};
std::unique_ptr<LeafKernel> make_statistics(const TaskKernel& kernel, const GpuQueue& queue) {
  const ChannelIndex index = index_around_channels(kernel.reads[0]);
  return gpu_kernel([=, stream = queue.stream](const KernelArguments& arguments) {
    const BatchStatistics now{read_at(arguments, 0), write_at(arguments, 0), index};
    rows("batch_norm statistics", stream, index.channels,
         {reads(now.x, index.elements()), writes(now.statistics, 2 * index.channels)}, now);
  });
}

// Reference: Chan, Golub and LeVeque, Algorithms for computing the sample variance, 1983.
struct MergedMoments {
  const float* left;
  const float* right;
  float* merged;
  std::int64_t channels;
  double left_share, right_share;
  __host__ __device__ void operator()(std::int64_t mean) const {
    const std::int64_t square = channels + mean;
    const double apart = static_cast<double>(right[mean]) - static_cast<double>(left[mean]);
    const double variance = left_share * static_cast<double>(left[square]) +
                            right_share * static_cast<double>(right[square]) +
                            apart * apart * left_share * right_share;
    merged[mean] = static_cast<float>(static_cast<double>(left[mean]) + right_share * apart);
    merged[square] = static_cast<float>(variance);
  }
};
std::unique_ptr<LeafKernel> make_merge(const TaskKernel& kernel, const GpuQueue& queue) {
  const std::int64_t n = element_count(kernel.writes[0]);
  const auto samples = static_cast<double>(kernel.left_samples + kernel.right_samples);
  const double left_share = static_cast<double>(kernel.left_samples) / samples;
  const double right_share = static_cast<double>(kernel.right_samples) / samples;
  return gpu_kernel([=, stream = queue.stream](const KernelArguments& arguments) {
    const MergedMoments now{read_at(arguments, 0),
                            read_at(arguments, 1),
                            write_at(arguments, 0),
                            n / 2,
                            left_share,
                            right_share};
    elements("batch_norm merge", stream, n / 2,
             {reads(now.left, n), reads(now.right, n), writes(now.merged, n)}, now);
  });
}

struct BatchNormalised {
  const float* statistics;
  const float* weight;
  const float* bias;
  const float* x;
  float* y;
  ChannelIndex index;
  float epsilon;
  __host__ __device__ void operator()(std::int64_t i) const {
    const std::int64_t channel = index.channel_of(i);
    const float scale = inverse_deviation(statistics[index.channels + channel], epsilon);
    y[i] = (x[i] - statistics[channel]) * (scale * weight[channel]) + bias[channel];
  }
};
std::unique_ptr<LeafKernel> make_batch_forward(const TaskKernel& kernel, const GpuQueue& queue) {
  const ChannelIndex index = index_around_channels(kernel.reads[3]);
  const auto epsilon = static_cast<float>(layer_of<BatchNorm>(kernel).epsilon);
  return gpu_kernel([=, stream = queue.stream](const KernelArguments& arguments) {
    const BatchNormalised now{read_at(arguments, 0),
                              read_at(arguments, 1),
                              read_at(arguments, 2),
                              read_at(arguments, 3),
                              write_at(arguments, 0),
                              index,
                              epsilon};
    const std::int64_t n = index.elements(), c = index.channels;
    elements("batch_norm", stream, n,
             {reads(now.statistics, 2 * c), reads(now.weight, c), reads(now.bias, c),
              reads(now.x, n), writes(now.y, n)},
             now);
  });
}

struct RunningAverage {
  const float* fresh;
  const float* from;
  float* to;
  float kept, rate;
  __host__ __device__ void operator()(std::int64_t i) const {
    to[i] = kept * from[i] + rate * fresh[i];
  }
};
std::unique_ptr<LeafKernel> make_running(const TaskKernel& kernel, const GpuQueue& queue) {
  const double momentum = layer_of<BatchNorm>(kernel).momentum;
  const std::int64_t channels = element_count(kernel.updates[0]);
  const auto count = static_cast<double>(kernel.averaged_over);
  const double unbiased = kernel.averaged_over > 1 ? count / (count - 1) : 1;
  return gpu_kernel([=, stream = queue.stream](const KernelArguments& arguments) {
    for (std::size_t i = 0; i < 2; ++i) {
      const RunningAverage now{read_at(arguments, 0) + static_cast<std::int64_t>(i) * channels,
                               reinterpret_cast<const float*>(arguments.updates_from[i]),
                               reinterpret_cast<float*>(arguments.updates_to[i]),
                               static_cast<float>(1 - momentum),
                               static_cast<float>(i == 0 ? momentum : momentum * unbiased)};
      elements("batch_norm running", stream, channels,
               {reads(now.fresh, channels), reads(now.from, channels), writes(now.to, channels)},
               now);
    }
  });
}

// Σ dy x̂ and Σ dy.
struct BatchWeightGradients {
  using Sum = TwoSums;
  const float* x;
  const float* statistics;
  const float* dy;
  float* weight;
  float* bias;
  ChannelIndex index;
  float epsilon;
  __host__ __device__ Sum sum(std::int64_t channel, int lane) const {
    const float mean = statistics[channel];
    Sum sum{0, 0};
    for (std::int64_t i = lane; i < index.per_channel(); i += lanes_of_row) {
      const std::int64_t at = index.at(channel, i);
      sum.a += static_cast<double>(dy[at] * (x[at] - mean));
      sum.b += static_cast<double>(dy[at]);
    }
    return sum;
  }
  __host__ __device__ static Sum merged(Sum left, Sum right) { return added(left, right); }
  __host__ __device__ void finish(std::int64_t channel, Sum sum, int lane) const {
    if (lane != 0) return;
    const float scale = inverse_deviation(statistics[index.channels + channel], epsilon);
    weight[channel] = static_cast<float>(sum.a * static_cast<double>(scale));
    bias[channel] = static_cast<float>(sum.b);
  }
};
std::unique_ptr<LeafKernel> make_batch_weights(const TaskKernel& kernel, const GpuQueue& queue) {
  const ChannelIndex index = index_around_channels(kernel.reads[0]);
  const auto epsilon = static_cast<float>(layer_of<BatchNorm>(kernel).epsilon);
  return gpu_kernel([=, stream = queue.stream](const KernelArguments& arguments) {
    const BatchWeightGradients now{read_at(arguments, 0),
                                   read_at(arguments, 1),
                                   read_at(arguments, 2),
                                   write_at(arguments, 0),
                                   write_at(arguments, 1),
                                   index,
                                   epsilon};
    const std::int64_t n = index.elements(), c = index.channels;
    rows("batch_norm weights", stream, c,
         {reads(now.x, n), reads(now.statistics, 2 * c), reads(now.dy, n), writes(now.weight, c),
          writes(now.bias, c)},
         now);
  });
}

// weight / σ · (dy − mean(dy) − x̂ mean(dy x̂)), the means over the whole micro-batch.
struct BatchDataGradient {
  const float* x;
  const float* statistics;
  const float* weight;
  const float* weight_gradient;
  const float* bias_gradient;
  const float* dy;
  float* dx;
  ChannelIndex index;
  float epsilon, share;
  __host__ __device__ void operator()(std::int64_t i) const {
    const std::int64_t channel = index.channel_of(i);
    const float scale = inverse_deviation(statistics[index.channels + channel], epsilon);
    const float slope = scale * share * weight_gradient[channel];
    dx[i] = ((dy[i] - share * bias_gradient[channel]) - (x[i] - statistics[channel]) * slope) *
            (scale * weight[channel]);
  }
};
std::unique_ptr<LeafKernel> make_batch_data(const TaskKernel& kernel, const GpuQueue& queue) {
  const ChannelIndex index = index_around_channels(kernel.reads[0]);
  const auto epsilon = static_cast<float>(layer_of<BatchNorm>(kernel).epsilon);
  const auto share = static_cast<float>(1 / static_cast<double>(kernel.averaged_over));
  return gpu_kernel([=, stream = queue.stream](const KernelArguments& arguments) {
    const BatchDataGradient now{read_at(arguments, 0),
                                read_at(arguments, 1),
                                read_at(arguments, 2),
                                read_at(arguments, 3),
                                read_at(arguments, 4),
                                read_at(arguments, 5),
                                write_at(arguments, 0),
                                index,
                                epsilon,
                                share};
    const std::int64_t n = index.elements(), c = index.channels;
    elements("batch_norm backward", stream, n,
             {reads(now.x, n), reads(now.statistics, 2 * c), reads(now.weight, c),
              reads(now.weight_gradient, c), reads(now.bias_gradient, c), reads(now.dy, n),
              writes(now.dx, n)},
             now);
  });
}

}  // namespace

GpuKernels gpu_batch_norm_kernels() {
  static constexpr GpuKernel kernels[] = {{"batch_norm.statistics", make_statistics},
                                          {"batch_norm.merge", make_merge},
                                          {"batch_norm.forward", make_batch_forward},
                                          {"batch_norm.running", make_running},
                                          {"batch_norm.backward_weights", make_batch_weights},
                                          {"batch_norm.backward_data", make_batch_data}};
  return kernels;
}

}  // namespace stint
