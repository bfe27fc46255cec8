// Batch normalisation and the ReLU after it in one go, with a residual in between or without.
// Backward, what the ReLU did is computed again from the norm's input, by the same arithmetic as
// forward, so that the bits are those of two layers.
#include "executor/cpu/own/channels.hpp"
#include "executor/cpu/own/norm_numbers.hpp"
#include "executor/cpu/own/own_kernel.hpp"
#include "executor/cpu/own/rectifier.hpp"

namespace stint {
namespace {

const FusedNorm& fused_of(const TaskKernel& kernel) { return std::get<FusedNorm>(kernel.origin); }

// What forward multiplies by and adds, of one channel.
struct Affine {
  const float* statistics;
  const float* weight;
  const float* bias;
  std::int64_t channels;
  double epsilon;

  float deviation(std::int64_t channel) const {
    return inverse_deviation(statistics[channels + channel], epsilon);
  }
  float mean(std::int64_t channel) const { return statistics[channel]; }
  float factor(std::int64_t channel) const { return deviation(channel) * weight[channel]; }
};

template <typename Join>
void normalise(const ChannelView& view, const Affine& affine, const float* x, float* y,
               const Join& join) {
  map_channels<3>(
      view, y,
      [=](std::int64_t channel) {
        return std::array{affine.mean(channel), affine.factor(channel), affine.bias[channel]};
      },
      [=](auto load, auto number) {
        return join((load(x) - number(0)) * number(1) + number(2), load);
      });
}

Affine forward_affine(const KernelArguments& arguments, const ChannelView& view, double epsilon) {
  return {read_at(arguments, 0), read_at(arguments, 1), read_at(arguments, 2), view.channels,
          epsilon};
}

std::unique_ptr<CpuKernel> make_forward(const TaskKernel& kernel) {
  const FusedNorm& fused = fused_of(kernel);
  return loop_kernel([view = view_around(kernel.reads[3], 1), epsilon = fused.norm.epsilon,
                      relu = LaneRectifier(fused.rectifier)](const KernelArguments& arguments) {
    normalise(view, forward_affine(arguments, view, epsilon), read_at(arguments, 3),
              write_at(arguments, 0), [=](Lanes y, const auto&) { return relu.of(y); });
  });
}

std::unique_ptr<CpuKernel> make_added_forward(const TaskKernel& kernel) {
  const FusedNorm& fused = fused_of(kernel);
  return loop_kernel([view = view_around(kernel.reads[3], 1), epsilon = fused.norm.epsilon,
                      first = fused.residual_first,
                      relu = LaneRectifier(fused.rectifier)](const KernelArguments& arguments) {
    const float* residual = read_at(arguments, 4);
    normalise(view, forward_affine(arguments, view, epsilon), read_at(arguments, 3),
              write_at(arguments, 0), [=](Lanes y, const auto& load) {
                return relu.of(first ? load(residual) + y : y + load(residual));
              });
  });
}

// Σ dy x̂ and Σ dy, where x̂ is the normalised input and dy the gradient that the ReLU lets through.
// What is multiplied by is computed per channel beforehand, in the workspace.
std::unique_ptr<CpuKernel> make_backward_weights(const TaskKernel& kernel) {
  const FusedNorm& fused = fused_of(kernel);
  const ChannelView view = view_around(kernel.reads[0], 1);
  return loop_kernel(
      [view, epsilon = fused.norm.epsilon,
       relu = LaneRectifier(fused.rectifier)](const KernelArguments& arguments) {
        const float* x = read_at(arguments, 0);
        const float* mean = read_at(arguments, 1);
        const Affine affine{mean, read_at(arguments, 2), read_at(arguments, 3), view.channels,
                            epsilon};
        const float* dz = read_at(arguments, 4);
        float* weight = write_at(arguments, 0);
        float* bias = write_at(arguments, 1);
        auto* factor = reinterpret_cast<float*>(arguments.workspace);
        for (std::int64_t channel = 0; channel < view.channels; ++channel)
          factor[channel] = affine.factor(channel);
        sum_channels<2>(
            view,
            [=](auto load, auto number, std::int64_t) {
              const Lanes centred = load(x) - number(ChannelNumbers{mean});
              const Lanes y =
                  centred * number(ChannelNumbers{factor}) + number(ChannelNumbers{affine.bias});
              const Lanes slope = relu.gradient(y, load(dz));
              return std::array{slope * centred, slope};
            },
            [=](std::int64_t channel, const std::array<double, 2>& sums) {
              weight[channel] =
                  static_cast<float>(sums[0] * static_cast<double>(affine.deviation(channel)));
              bias[channel] = static_cast<float>(sums[1]);
            });
      },
      view.channels * static_cast<std::int64_t>(sizeof(float)));
}

// dx = weight / σ · (dy − mean(dy) − x̂ mean(dy x̂)), the means over the whole micro-batch.
std::unique_ptr<CpuKernel> make_backward_data(const TaskKernel& kernel) {
  const FusedNorm& fused = fused_of(kernel);
  const auto share = static_cast<float>(1 / static_cast<double>(kernel.averaged_over));
  return loop_kernel([view = view_around(kernel.reads[0], 1), epsilon = fused.norm.epsilon, share,
                      relu = LaneRectifier(fused.rectifier)](const KernelArguments& arguments) {
    const float* x = read_at(arguments, 0);
    const Affine affine{read_at(arguments, 1), read_at(arguments, 2), read_at(arguments, 3),
                        view.channels, epsilon};
    const float* weight_gradient = read_at(arguments, 4);
    const float* bias_gradient = read_at(arguments, 5);
    const float* dz = read_at(arguments, 6);
    map_channels<5>(
        view, write_at(arguments, 0),
        [=](std::int64_t channel) {
          const float scale = affine.deviation(channel);
          return std::array{affine.mean(channel), scale * share * weight_gradient[channel],
                            share * bias_gradient[channel], scale * affine.weight[channel],
                            affine.bias[channel]};
        },
        [=](auto load, auto number) {
          const Lanes centred = load(x) - number(0);
          const Lanes dy = relu.gradient(centred * number(3) + number(4), load(dz));
          return ((dy - number(2)) - centred * number(1)) * number(3);
        });
  });
}

constexpr OwnKernel kernels[] = {{"batch_norm_relu.forward", make_forward},
                                 {"batch_norm_add_relu.forward", make_added_forward},
                                 {"batch_norm_relu.backward_weights", make_backward_weights},
                                 {"batch_norm_relu.backward_data", make_backward_data}};

}  // namespace

OwnKernels batch_norm_relu_kernels() { return kernels; }

}  // namespace stint
