// Linear layers and products of activations by cuBLAS, with biases by kernels of ours.
#include "executor/cpu/own/own_kernel.hpp"
#include "executor/cuda/biases.hpp"
#include "executor/cuda/gpu_kernel.hpp"
#include "executor/cuda/launch.cuh"
#include "models/training/gpu_workspace.hpp"

namespace stint {
namespace {

struct AddToChannels {
  float* y;
  const float* bias;
  OuterChannels view;
  __host__ __device__ void operator()(std::int64_t i) const {
    y[i] += bias[i / view.inner % view.channels];
  }
};
struct SumOfChannel {
  using Sum = OneSum;
  const float* dy;
  float* bias;
  OuterChannels view;
  __host__ __device__ Sum sum(std::int64_t channel, int lane) const {
    Sum sum{0};
    for (std::int64_t i = lane; i < view.outer * view.inner; i += lanes_of_row)
      sum.a += static_cast<double>(
          dy[(i / view.inner * view.channels + channel) * view.inner + i % view.inner]);
    return sum;
  }
  __host__ __device__ static Sum merged(Sum left, Sum right) { return added(left, right); }
  __host__ __device__ void finish(std::int64_t channel, Sum sum, int lane) const {
    if (lane == 0) bias[channel] = static_cast<float>(sum.a);
  }
};

}  // namespace

void add_bias(const GpuQueue& queue, const OuterChannels& view, float* y, const float* bias) {
  const std::int64_t n = view.elements();
  elements("add of a bias", queue.stream, n, {writes(y, n), reads(bias, view.channels)},
           AddToChannels{y, bias, view});
}

void sum_bias(const GpuQueue& queue, const OuterChannels& view, const float* dy, float* bias) {
  rows("sums of a bias", queue.stream, view.channels,
       {reads(dy, view.elements()), writes(bias, view.channels)}, SumOfChannel{dy, bias, view});
}

namespace {

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
      0, gpu_product_algorithm);
}
std::unique_ptr<LeafKernel> make_linear_data(const TaskKernel& kernel, const GpuQueue& queue) {
  const LinearSizes s = linear_sizes(kernel.writes[0], kernel.reads[1]);
  return gpu_kernel(
      [=](const KernelArguments& arguments) {
        multiply(queue.blas, {s.inputs, s.rows, s.features},
                 {read_at(arguments, 0), false, s.inputs},
                 {read_at(arguments, 1), false, s.features}, {write_at(arguments, 0), s.inputs});
      },
      0, gpu_product_algorithm);
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
      0, gpu_product_algorithm);
}

// So many matrices one after the other, by rows; a transposed one is read column by column.
struct StoredMatrices {
  std::int64_t count, rows, columns;  // as stored
  bool transposed;
  std::int64_t read_rows() const { return transposed ? columns : rows; }
  std::int64_t read_columns() const { return transposed ? rows : columns; }
  // As cuBLAS sees it, for which rows are columns.
  BlasFactor factor(const float* at) const { return {at, transposed, columns, rows * columns}; }
};
StoredMatrices matrices_of(const KernelOperand& operand, bool transposed) {
  const std::int64_t rows = operand.shape[operand.shape.size() - 2];
  const std::int64_t columns = operand.shape.back();
  return {element_count(operand) / (rows * columns), rows, columns, transposed};
}
StoredMatrices transpose_of(StoredMatrices m) {
  m.transposed = !m.transposed;
  return m;
}

// y = left right, by rows: cuBLAS computes yᵀ = rightᵀ leftᵀ.
struct StoredProduct {
  StoredMatrices left, right;
  std::size_t left_read, right_read;
};
std::unique_ptr<LeafKernel> make_product(const StoredProduct& of, const GpuQueue& queue) {
  return gpu_kernel(
      [=](const KernelArguments& arguments) {
        const std::int64_t rows = of.left.read_rows(), columns = of.right.read_columns();
        multiply(queue.blas,
                 {.rows = columns,
                  .columns = rows,
                  .depth = of.left.read_columns(),
                  .matrices = of.left.count},
                 of.right.factor(read_at(arguments, of.right_read)),
                 of.left.factor(read_at(arguments, of.left_read)),
                 {write_at(arguments, 0), columns, rows * columns});
      },
      0, gpu_product_algorithm);
}
// Of the product as stored: transposed, its factors change places.
std::unique_ptr<LeafKernel> make_stored(const StoredProduct& of, bool transposed,
                                        const GpuQueue& queue) {
  if (!transposed) return make_product(of, queue);
  return make_product({transpose_of(of.right), transpose_of(of.left), of.right_read, of.left_read},
                      queue);
}

std::unique_ptr<LeafKernel> make_matmul(const TaskKernel& kernel, const GpuQueue& queue) {
  const auto& layer = layer_of<Matmul>(kernel);
  return make_product({matrices_of(kernel.reads[0], layer.transpose_a),
                       matrices_of(kernel.reads[1], layer.transpose_b), 0, 1},
                      queue);
}
// da = dy bᵀ; b and dy are read.
std::unique_ptr<LeafKernel> make_matmul_a(const TaskKernel& kernel, const GpuQueue& queue) {
  const auto& layer = layer_of<Matmul>(kernel);
  return make_stored(
      {matrices_of(kernel.reads[1], false), matrices_of(kernel.reads[0], !layer.transpose_b), 1, 0},
      layer.transpose_a, queue);
}
// db = aᵀ dy; a and dy are read.
std::unique_ptr<LeafKernel> make_matmul_b(const TaskKernel& kernel, const GpuQueue& queue) {
  const auto& layer = layer_of<Matmul>(kernel);
  return make_stored(
      {matrices_of(kernel.reads[0], !layer.transpose_a), matrices_of(kernel.reads[1], false), 0, 1},
      layer.transpose_b, queue);
}

}  // namespace

GpuKernels gpu_product_kernels() {
  static constexpr GpuKernel kernels[] = {{"linear.forward", make_linear},
                                          {"linear.backward_data", make_linear_data},
                                          {"linear.backward_weights", make_linear_weights},
                                          {"matmul.forward", make_matmul},
                                          {"matmul.backward_a", make_matmul_a},
                                          {"matmul.backward_b", make_matmul_b}};
  return kernels;
}

}  // namespace stint
