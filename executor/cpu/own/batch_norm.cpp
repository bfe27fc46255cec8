// Batch normalisation in its parts. Statistics are [2, channels]: means, then variances divided by
// the number of elements they were taken from.
#include "executor/cpu/own/channels.hpp"
#include "executor/cpu/own/norm_numbers.hpp"
#include "executor/cpu/own/own_kernel.hpp"

namespace stint {
namespace {

// Sums of differences from the first element of a channel and of their squares: one pass over
// memory, and no cancellation unless that element lies far from the mean.
void write_statistics(const ChannelView& view, const float* x, float* statistics) {
  const ChannelNumbers first{x, view.inner};
  const auto count = static_cast<double>(view.outer * view.inner);
  sum_channels<2>(
      view,
      [=](auto load, auto number, std::int64_t) {
        const Lanes difference = load(x) - number(first);
        return std::array{difference, difference * difference};
      },
      [=](std::int64_t channel, const std::array<double, 2>& sums) {
        const double shift = sums[0] / count;
        const double variance = sums[1] / count - shift * shift;
        statistics[channel] =
            static_cast<float>(static_cast<double>(x[channel * view.inner]) + shift);
        statistics[view.channels + channel] = static_cast<float>(variance < 0 ? 0 : variance);
      });
}

std::unique_ptr<CpuKernel> make_statistics(const TaskKernel& kernel) {
  return loop_kernel([view = view_around(kernel.reads[0], 1)](const KernelArguments& arguments) {
    write_statistics(view, read_at(arguments, 0), write_at(arguments, 0));
  });
}

// Reference: Chan, Golub and LeVeque, Algorithms for computing the sample variance, 1983.
std::unique_ptr<CpuKernel> make_merge(const TaskKernel& kernel) {
  const std::int64_t channels = element_count(kernel.writes[0]) / 2;
  const auto samples = static_cast<double>(kernel.left_samples + kernel.right_samples);
  const double left_share = static_cast<double>(kernel.left_samples) / samples;
  const double right_share = static_cast<double>(kernel.right_samples) / samples;
  return loop_kernel([=](const KernelArguments& arguments) {
    const float* left = read_at(arguments, 0);
    const float* right = read_at(arguments, 1);
    float* merged = write_at(arguments, 0);
    for (std::int64_t mean = 0, square = channels; mean < channels; ++mean, ++square) {
      const double apart = static_cast<double>(right[mean]) - static_cast<double>(left[mean]);
      const double variance = left_share * static_cast<double>(left[square]) +
                              right_share * static_cast<double>(right[square]) +
                              apart * apart * left_share * right_share;
      merged[mean] = static_cast<float>(static_cast<double>(left[mean]) + right_share * apart);
      merged[square] = static_cast<float>(variance);
    }
  });
}

std::unique_ptr<CpuKernel> make_forward(const TaskKernel& kernel) {
  const double epsilon = layer_of<BatchNorm>(kernel).epsilon;
  return loop_kernel(
      [view = view_around(kernel.reads[3], 1), epsilon](const KernelArguments& arguments) {
        const float* statistics = read_at(arguments, 0);
        const float* weight = read_at(arguments, 1);
        const float* bias = read_at(arguments, 2);
        const float* x = read_at(arguments, 3);
        map_channels<3>(
            view, write_at(arguments, 0),
            [=](std::int64_t channel) {
              const float scale = inverse_deviation(statistics[view.channels + channel], epsilon);
              return std::array{statistics[channel], scale * weight[channel], bias[channel]};
            },
            [=](auto load, auto number) { return (load(x) - number(0)) * number(1) + number(2); });
      });
}

std::unique_ptr<CpuKernel> make_running(const TaskKernel& kernel) {
  const auto momentum = layer_of<BatchNorm>(kernel).momentum;
  const std::int64_t channels = element_count(kernel.updates[0]);
  const auto count = static_cast<double>(kernel.averaged_over);
  const double unbiased = kernel.averaged_over > 1 ? count / (count - 1) : 1;
  return loop_kernel([=](const KernelArguments& arguments) {
    const float* statistics = read_at(arguments, 0);
    for (std::size_t i = 0; i < 2; ++i) {
      const auto* from = reinterpret_cast<const float*>(arguments.updates_from[i]);
      auto* to = reinterpret_cast<float*>(arguments.updates_to[i]);
      const auto rate = static_cast<float>(i == 0 ? momentum : momentum * unbiased);
      const float* fresh = statistics + static_cast<std::int64_t>(i) * channels;
      map_elements(channels, to, [=](auto load) {
        return static_cast<float>(1 - momentum) * load(from) + rate * load(fresh);
      });
    }
  });
}

// Σ dy x̂ and Σ dy, where x̂ is the normalised input.
std::unique_ptr<CpuKernel> make_backward_weights(const TaskKernel& kernel) {
  const double epsilon = layer_of<BatchNorm>(kernel).epsilon;
  return loop_kernel(
      [view = view_around(kernel.reads[0], 1), epsilon](const KernelArguments& arguments) {
        const float* x = read_at(arguments, 0);
        const float* statistics = read_at(arguments, 1);
        const float* dy = read_at(arguments, 2);
        float* weight = write_at(arguments, 0);
        float* bias = write_at(arguments, 1);
        sum_channels<2>(
            view,
            [=](auto load, auto number, std::int64_t) {
              const Lanes slope = load(dy);
              return std::array{slope * (load(x) - number(ChannelNumbers{statistics})), slope};
            },
            [=](std::int64_t channel, const std::array<double, 2>& sums) {
              const float scale = inverse_deviation(statistics[view.channels + channel], epsilon);
              weight[channel] = static_cast<float>(sums[0] * static_cast<double>(scale));
              bias[channel] = static_cast<float>(sums[1]);
            });
      });
}

// dx = weight / σ · (dy − mean(dy) − x̂ mean(dy x̂)), the means over the whole micro-batch.
std::unique_ptr<CpuKernel> make_backward_data(const TaskKernel& kernel) {
  const double epsilon = layer_of<BatchNorm>(kernel).epsilon;
  const auto share = static_cast<float>(1 / static_cast<double>(kernel.averaged_over));
  return loop_kernel(
      [view = view_around(kernel.reads[0], 1), epsilon, share](const KernelArguments& arguments) {
        const float* x = read_at(arguments, 0);
        const float* statistics = read_at(arguments, 1);
        const float* weight = read_at(arguments, 2);
        const float* weight_gradient = read_at(arguments, 3);
        const float* bias_gradient = read_at(arguments, 4);
        const float* dy = read_at(arguments, 5);
        map_channels<4>(
            view, write_at(arguments, 0),
            [=](std::int64_t channel) {
              const float scale = inverse_deviation(statistics[view.channels + channel], epsilon);
              return std::array{statistics[channel], scale * share * weight_gradient[channel],
                                share * bias_gradient[channel], scale * weight[channel]};
            },
            [=](auto load, auto number) {
              return ((load(dy) - number(2)) - (load(x) - number(0)) * number(1)) * number(3);
            });
      });
}

constexpr OwnKernel kernels[] = {{"batch_norm.statistics", make_statistics},
                                 {"batch_norm.merge", make_merge},
                                 {"batch_norm.forward", make_forward},
                                 {"batch_norm.running", make_running},
                                 {"batch_norm.backward_weights", make_backward_weights},
                                 {"batch_norm.backward_data", make_backward_data}};

}  // namespace

OwnKernels batch_norm_kernels() { return kernels; }

}  // namespace stint
