// Kernels of tasks on GPUs: the same closures over sizes as on CPUs, but running one only puts its
// launches into the stream of its worker. An operation that is in none of the lists is refused when
// a schedule is compiled.
//
// Every kernel gives the same bits every time: no atomics, sums in a fixed order, and of the
// libraries only what their manuals call deterministic.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "executor/cpu/kernel.hpp"
#include "executor/cuda/calls.hpp"

namespace stint {

// Where a worker of a GPU puts its work.
struct GpuQueue {
  cudaStream_t stream = nullptr;
  cublasHandle_t blas = nullptr;
  cudnnHandle_t dnn = nullptr;
  int way = 0;  // which of several ways to compute a task, the likely best first
};

using GpuBody = std::function<void(const KernelArguments&)>;
std::unique_ptr<LeafKernel> gpu_kernel(GpuBody body, std::int64_t workspace_bytes = 0,
                                       std::string_view algorithm = "stint kernels");

struct GpuKernel {
  std::string_view op;
  std::unique_ptr<LeafKernel> (*make)(const TaskKernel&, const GpuQueue&);
  int ways = 1;  // at most; further ones are like the last
};
using GpuKernels = std::span<const GpuKernel>;

GpuKernels gpu_element_kernels();    // relu, gelu, sigmoid, tanh, affine, add, mul, bias, scale
GpuKernels gpu_optimizer_kernels();  // sgd, adam
GpuKernels gpu_form_kernels();       // concat, split, transpose, reorder, embedding, dropout
GpuKernels gpu_batch_norm_kernels();
GpuKernels gpu_layer_norm_kernels();
GpuKernels gpu_lrn_kernels();
GpuKernels gpu_softmax_kernels();
GpuKernels gpu_loss_kernels();
GpuKernels gpu_pool_kernels();
GpuKernels gpu_product_kernels();  // linear, matmul
GpuKernels gpu_convolution_kernels();
GpuKernels gpu_attention_kernels();

// How many ways there are at most to compute a task.
int gpu_ways(std::string_view op);

// `kernel` has one leaf. Throws InputError if there is none for it.
std::unique_ptr<LeafKernel> make_gpu_kernel(const TaskKernel& kernel, const GpuQueue& queue);

}  // namespace stint
