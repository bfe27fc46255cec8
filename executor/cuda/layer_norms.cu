// Layer normalisation: rows of the dimensions from the axis on. Statistics are [rows, 2]: mean and
// 1 / √(variance + ε).
#include <cmath>

#include "executor/cpu/own/own_kernel.hpp"
#include "executor/cuda/gpu_kernel.hpp"
#include "executor/cuda/launch.cuh"

namespace stint {
namespace {

struct NormRows {
  std::int64_t rows, width;
  std::int64_t elements() const { return rows * width; }
};
NormRows rows_of(const KernelOperand& input, const KernelOperand& statistics) {
  const std::int64_t rows = element_count(statistics) / 2;
  return {rows, element_count(input) / rows};
}

struct RowMean {
  using Sum = OneSum;
  const float* x;
  float* statistics;
  std::int64_t width;
  __host__ __device__ Sum sum(std::int64_t row, int lane) const {
    Sum sum{0};
    for (std::int64_t i = lane; i < width; i += lanes_of_row)
      sum.a += static_cast<double>(x[row * width + i]);
    return sum;
  }
  __host__ __device__ static Sum merged(Sum left, Sum right) { return added(left, right); }
  __host__ __device__ void finish(std::int64_t row, Sum sum, int lane) const {
    if (lane == 0) statistics[2 * row] = static_cast<float>(sum.a / static_cast<double>(width));
  }
};

// The mean is there already. Without a bias it is null.
struct RowNormalised {
  using Sum = OneSum;
  const float* x;
  const float* weight;
  const float* bias;
  float* y;
  float* statistics;
  std::int64_t width;
  double epsilon;
  __host__ __device__ Sum sum(std::int64_t row, int lane) const {
    const float mean = statistics[2 * row];
    Sum sum{0};
    for (std::int64_t i = lane; i < width; i += lanes_of_row) {
      const float apart = x[row * width + i] - mean;
      sum.a += static_cast<double>(apart * apart);
    }
    return sum;
  }
  __host__ __device__ static Sum merged(Sum left, Sum right) { return added(left, right); }
  __host__ __device__ void finish(std::int64_t row, Sum sum, int lane) const {
    const float mean = statistics[2 * row];
    const auto scale = static_cast<float>(1 / sqrt(sum.a / static_cast<double>(width) + epsilon));
    for (std::int64_t i = lane; i < width; i += lanes_of_row) {
      const float normal = (x[row * width + i] - mean) * scale * weight[i];
      y[row * width + i] = bias == nullptr ? normal : normal + bias[i];
    }
    if (lane == 0) statistics[2 * row + 1] = scale;
  }
};

std::unique_ptr<LeafKernel> make_layer_norm_forward(const TaskKernel& kernel,
                                                    const GpuQueue& queue) {
  const auto& layer = layer_of<LayerNorm>(kernel);
  const NormRows sizes = rows_of(kernel.reads.back(), kernel.writes[1]);
  return gpu_kernel([=, biased = layer.bias, epsilon = layer.epsilon,
                     stream = queue.stream](const KernelArguments& arguments) {
    const float* x = read_at(arguments, biased ? 2 : 1);
    const RowNormalised now{x,
                            read_at(arguments, 0),
                            biased ? read_at(arguments, 1) : nullptr,
                            write_at(arguments, 0),
                            write_at(arguments, 1),
                            sizes.width,
                            epsilon};
    const std::int64_t n = sizes.elements(), pairs = 2 * sizes.rows;
    rows("layer_norm mean", stream, sizes.rows, {reads(x, n), writes(now.statistics, pairs)},
         RowMean{x, now.statistics, sizes.width});
    rows("layer_norm", stream, sizes.rows,
         {reads(x, n), reads(now.weight, sizes.width), reads(now.bias, sizes.width),
          writes(now.y, n), writes(now.statistics, pairs)},
         now);
  });
}

// Σ dy x̂ and, with a bias, Σ dy over rows: of one column.
struct ColumnGradients {
  using Sum = TwoSums;
  const float* x;
  const float* statistics;
  const float* dy;
  float* weight;
  float* bias;
  NormRows sizes;
  __host__ __device__ Sum sum(std::int64_t column, int lane) const {
    Sum sum{0, 0};
    for (std::int64_t row = lane; row < sizes.rows; row += lanes_of_row) {
      const std::int64_t at = row * sizes.width + column;
      const float normal = (x[at] - statistics[2 * row]) * statistics[2 * row + 1];
      sum.a += static_cast<double>(dy[at] * normal);
      sum.b += static_cast<double>(dy[at]);
    }
    return sum;
  }
  __host__ __device__ static Sum merged(Sum left, Sum right) { return added(left, right); }
  __host__ __device__ void finish(std::int64_t column, Sum sum, int lane) const {
    if (lane != 0) return;
    weight[column] = static_cast<float>(sum.a);
    if (bias != nullptr) bias[column] = static_cast<float>(sum.b);
  }
};
std::unique_ptr<LeafKernel> make_weights(const TaskKernel& kernel, const GpuQueue& queue) {
  const NormRows sizes = rows_of(kernel.reads[0], kernel.reads[1]);
  const bool biased = kernel.writes.size() > 1;
  return gpu_kernel([=, stream = queue.stream](const KernelArguments& arguments) {
    const ColumnGradients now{read_at(arguments, 0),
                              read_at(arguments, 1),
                              read_at(arguments, 2),
                              write_at(arguments, 0),
                              biased ? write_at(arguments, 1) : nullptr,
                              sizes};
    rows("layer_norm weights", stream, sizes.width,
         {reads(now.x, sizes.elements()), reads(now.statistics, 2 * sizes.rows),
          reads(now.dy, sizes.elements()), writes(now.weight, sizes.width),
          writes(now.bias, sizes.width)},
         now);
  });
}

// (g − mean(g) − x̂ mean(g x̂)) / σ, where g = dy weight.
struct RowGradient {
  using Sum = TwoSums;
  const float* x;
  const float* statistics;
  const float* weight;
  const float* dy;
  float* dx;
  std::int64_t width;
  __host__ __device__ float normal(std::int64_t row, std::int64_t i) const {
    return (x[row * width + i] - statistics[2 * row]) * statistics[2 * row + 1];
  }
  __host__ __device__ Sum sum(std::int64_t row, int lane) const {
    Sum sum{0, 0};
    for (std::int64_t i = lane; i < width; i += lanes_of_row) {
      const float slope = dy[row * width + i] * weight[i];
      sum.a += static_cast<double>(slope);
      sum.b += static_cast<double>(slope * normal(row, i));
    }
    return sum;
  }
  __host__ __device__ static Sum merged(Sum left, Sum right) { return added(left, right); }
  __host__ __device__ void finish(std::int64_t row, Sum sum, int lane) const {
    const auto slope_mean = static_cast<float>(sum.a / static_cast<double>(width));
    const auto product_mean = static_cast<float>(sum.b / static_cast<double>(width));
    for (std::int64_t i = lane; i < width; i += lanes_of_row) {
      const float slope = dy[row * width + i] * weight[i];
      dx[row * width + i] =
          (slope - slope_mean - normal(row, i) * product_mean) * statistics[2 * row + 1];
    }
  }
};
std::unique_ptr<LeafKernel> make_data(const TaskKernel& kernel, const GpuQueue& queue) {
  const NormRows sizes = rows_of(kernel.reads[0], kernel.reads[1]);
  return gpu_kernel([=, stream = queue.stream](const KernelArguments& arguments) {
    const RowGradient now{read_at(arguments, 0), read_at(arguments, 1),  read_at(arguments, 2),
                          read_at(arguments, 3), write_at(arguments, 0), sizes.width};
    const std::int64_t n = sizes.elements();
    rows("layer_norm backward", stream, sizes.rows,
         {reads(now.x, n), reads(now.statistics, 2 * sizes.rows), reads(now.weight, sizes.width),
          reads(now.dy, n), writes(now.dx, n)},
         now);
  });
}

}  // namespace

GpuKernels gpu_layer_norm_kernels() {
  static constexpr GpuKernel kernels[] = {{"layer_norm.forward", make_layer_norm_forward},
                                          {"layer_norm.backward_weights", make_weights},
                                          {"layer_norm.backward_data", make_data}};
  return kernels;
}

}  // namespace stint
