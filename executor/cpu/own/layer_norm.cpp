// Layer normalisation: rows of the dimensions from the axis on. Statistics are [rows, 2]: mean and
// 1 / √(variance + ε).
#include <cmath>

#include "executor/cpu/own/channels.hpp"
#include "executor/cpu/own/own_kernel.hpp"

namespace stint {
namespace {

struct RowSizes {
  std::int64_t rows = 0;
  std::int64_t width = 0;
};

RowSizes sizes_of(const KernelOperand& input, const KernelOperand& statistics) {
  const std::int64_t rows = element_count(statistics) / 2;
  return {rows, element_count(input) / rows};
}

std::array<float, 2> statistics_of(const float* row, std::int64_t width, double epsilon) {
  const auto count = static_cast<double>(width);
  const auto sum = sum_elements<1>(width, [=](auto load) { return std::array{load(row)}; });
  const auto mean = static_cast<float>(sum[0] / count);
  const auto squares = sum_elements<1>(width, [=](auto load) {
    const Lanes difference = load(row) - mean;
    return std::array{difference * difference};
  });
  return {mean, static_cast<float>(1 / std::sqrt(squares[0] / count + epsilon))};
}

void normalise(std::int64_t width, const float* row, std::array<float, 2> statistics,
               const float* weight, const float* bias, float* y) {
  const auto [mean, scale] = statistics;
  if (bias == nullptr) {
    map_elements(width, y, [=](auto load) { return (load(row) - mean) * scale * load(weight); });
  } else {
    map_elements(width, y,
                 [=](auto load) { return (load(row) - mean) * scale * load(weight) + load(bias); });
  }
}

std::unique_ptr<CpuKernel> make_forward(const TaskKernel& kernel) {
  const auto& layer = layer_of<LayerNorm>(kernel);
  const RowSizes sizes = sizes_of(kernel.reads.back(), kernel.writes[1]);
  return loop_kernel([sizes, layer](const KernelArguments& arguments) {
    const float* weight = read_at(arguments, 0);
    const float* bias = layer.bias ? read_at(arguments, 1) : nullptr;
    const float* x = read_at(arguments, layer.bias ? 2 : 1);
    for (std::int64_t row = 0; row < sizes.rows; ++row) {
      const std::int64_t at = row * sizes.width;
      const auto statistics = statistics_of(x + at, sizes.width, layer.epsilon);
      normalise(sizes.width, x + at, statistics, weight, bias, write_at(arguments, 0) + at);
      std::copy(statistics.begin(), statistics.end(), write_at(arguments, 1) + 2 * row);
    }
  });
}

// Σ dy x̂ and, with a bias, Σ dy over rows.
std::unique_ptr<CpuKernel> make_backward_weights(const TaskKernel& kernel) {
  const RowSizes sizes = sizes_of(kernel.reads[0], kernel.reads[1]);
  const ChannelView view{.outer = sizes.rows, .channels = sizes.width};
  return loop_kernel([view, biased = kernel.writes.size() > 1](const KernelArguments& arguments) {
    const float* x = read_at(arguments, 0);
    const float* statistics = read_at(arguments, 1);
    const float* dy = read_at(arguments, 2);
    float* weight = write_at(arguments, 0);
    float* bias = biased ? write_at(arguments, 1) : nullptr;
    sum_channels<2>(
        view,
        [=](auto load, auto, std::int64_t row) {
          const Lanes slope = load(dy);
          const Lanes normal = (load(x) - statistics[2 * row]) * statistics[2 * row + 1];
          return std::array{slope * normal, slope};
        },
        [=](std::int64_t column, const std::array<double, 2>& sums) {
          weight[column] = static_cast<float>(sums[0]);
          if (bias != nullptr) bias[column] = static_cast<float>(sums[1]);
        });
  });
}

// dx = (g − mean(g) − x̂ mean(g x̂)) / σ, where g = dy weight.
void write_row_gradient(std::int64_t width, const float* x, const float* statistics,
                        const float* weight, const float* dy, float* dx) {
  const float mean = statistics[0];
  const float scale = statistics[1];
  const auto sums = sum_elements<2>(width, [=](auto load) {
    const Lanes slope = load(dy) * load(weight);
    return std::array{slope, slope * ((load(x) - mean) * scale)};
  });
  const auto count = static_cast<double>(width);
  const auto slope_mean = static_cast<float>(sums[0] / count);
  const auto product_mean = static_cast<float>(sums[1] / count);
  map_elements(width, dx, [=](auto load) {
    const Lanes normal = (load(x) - mean) * scale;
    return (load(dy) * load(weight) - slope_mean - normal * product_mean) * scale;
  });
}

std::unique_ptr<CpuKernel> make_backward_data(const TaskKernel& kernel) {
  return loop_kernel(
      [sizes = sizes_of(kernel.reads[0], kernel.reads[1])](const KernelArguments& arguments) {
        for (std::int64_t row = 0; row < sizes.rows; ++row) {
          const std::int64_t at = row * sizes.width;
          write_row_gradient(sizes.width, read_at(arguments, 0) + at,
                             read_at(arguments, 1) + 2 * row, read_at(arguments, 2),
                             read_at(arguments, 3) + at, write_at(arguments, 0) + at);
        }
      });
}

constexpr OwnKernel kernels[] = {{"layer_norm.forward", make_forward},
                                 {"layer_norm.backward_weights", make_backward_weights},
                                 {"layer_norm.backward_data", make_backward_data}};

}  // namespace

OwnKernels layer_norm_kernels() { return kernels; }

}  // namespace stint
