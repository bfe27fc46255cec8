// Softmax along any dimension: a row for all elements that sum to 1.
#include <cmath>

#include "executor/cuda/biases.hpp"
#include "executor/cuda/exponential_sums.cuh"
#include "executor/cuda/gpu_kernel.hpp"
#include "executor/cuda/launch.cuh"

namespace stint {
namespace {

StridedRows softmax_rows(const TaskKernel& kernel) {
  const OuterChannels view = channels_of(kernel.reads[0], layer_of<Softmax>(kernel).axis);
  return {view.outer, view.channels, view.inner};
}

struct SoftmaxOf {
  using Sum = ExponentialSum;
  const float* x;
  float* y;
  StridedRows sizes;
  __host__ __device__ Sum sum(std::int64_t row, int lane) const {
    return lane_sum(x, sizes, row, lane);
  }
  __host__ __device__ static Sum merged(Sum left, Sum right) { return added(left, right); }
  __host__ __device__ void finish(std::int64_t row, Sum sum, int lane) const {
    const auto factor = static_cast<float>(1 / sum.sum);
    for (std::int64_t i = lane; i < sizes.length; i += lanes_of_row) {
      const std::int64_t at = sizes.at(row, i);
      y[at] = expf(x[at] - sum.largest) * factor;
    }
  }
};
std::unique_ptr<LeafKernel> make_softmax(const TaskKernel& kernel, const GpuQueue& queue) {
  const StridedRows sizes = softmax_rows(kernel);
  return gpu_kernel([=, stream = queue.stream](const KernelArguments& arguments) {
    const SoftmaxOf now{read_at(arguments, 0), write_at(arguments, 0), sizes};
    const std::int64_t n = sizes.elements();
    rows("softmax", stream, sizes.count(), {reads(now.x, n), writes(now.y, n)}, now);
  });
}

// dx = y (dy − Σ y dy)
struct SoftmaxGradient {
  using Sum = OneSum;
  const float* y;
  const float* dy;
  float* dx;
  StridedRows sizes;
  __host__ __device__ Sum sum(std::int64_t row, int lane) const {
    Sum sum{0};
    for (std::int64_t i = lane; i < sizes.length; i += lanes_of_row) {
      const std::int64_t at = sizes.at(row, i);
      sum.a += static_cast<double>(y[at] * dy[at]);
    }
    return sum;
  }
  __host__ __device__ static Sum merged(Sum left, Sum right) { return added(left, right); }
  __host__ __device__ void finish(std::int64_t row, Sum sum, int lane) const {
    for (std::int64_t i = lane; i < sizes.length; i += lanes_of_row) {
      const std::int64_t at = sizes.at(row, i);
      dx[at] = y[at] * (dy[at] - static_cast<float>(sum.a));
    }
  }
};
std::unique_ptr<LeafKernel> make_softmax_backward(const TaskKernel& kernel, const GpuQueue& queue) {
  const StridedRows sizes = softmax_rows(kernel);
  return gpu_kernel([=, stream = queue.stream](const KernelArguments& arguments) {
    const SoftmaxGradient now{read_at(arguments, 0), read_at(arguments, 1), write_at(arguments, 0),
                              sizes};
    const std::int64_t n = sizes.elements();
    rows("softmax backward", stream, sizes.count(),
         {reads(now.y, n), reads(now.dy, n), writes(now.dx, n)}, now);
  });
}

}  // namespace

GpuKernels gpu_softmax_kernels() {
  static constexpr GpuKernel kernels[] = {{"softmax.forward", make_softmax},
                                          {"softmax.backward", make_softmax_backward}};
  return kernels;
}

}  // namespace stint
