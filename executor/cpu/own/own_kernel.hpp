// Kernels of our own: loops over memory for everything that is not a product of matrices. Each is a
// closure over sizes that were known when it was made.
//
// All of them work on lanes (lanes.hpp) in a fixed order, fusing only what is asked to be fused, so
// that their bits depend neither on the processor nor on where buffers lie. An element-wise output
// may lie exactly where one of the inputs does.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "executor/cpu/kernel.hpp"

namespace stint {

using LoopBody = std::function<void(const KernelArguments&)>;
std::unique_ptr<CpuKernel> loop_kernel(LoopBody body, std::int64_t workspace_bytes = 0);

struct OwnKernel {
  std::string_view op;
  std::unique_ptr<CpuKernel> (*make)(const TaskKernel&);
};
using OwnKernels = std::span<const OwnKernel>;

OwnKernels activation_kernels();  // relu, gelu, sigmoid, tanh, affine
OwnKernels sum_kernels();         // add, mul, sum
OwnKernels broadcast_kernels();   // bias, scale
OwnKernels batch_norm_kernels();
OwnKernels batch_norm_relu_kernels();  // in one go, with a residual or without
OwnKernels relu_pool_kernels();        // in one go, channels last
OwnKernels layer_norm_kernels();
OwnKernels lrn_kernels();
OwnKernels softmax_kernels();
OwnKernels attention_kernels();
OwnKernels embedding_kernels();
OwnKernels dropout_kernels();
OwnKernels form_kernels();  // concat, split, transpose, reorder, stash
OwnKernels loss_kernels();
OwnKernels optimizer_kernels();
OwnKernels small_convolution_kernels();  // null where there are many channels

// Null if the operation is not one of ours.
std::unique_ptr<CpuKernel> make_own_kernel(const TaskKernel& kernel);

template <typename Kind>
const Kind& layer_of(const TaskKernel& kernel) {
  return std::get<Kind>(std::get<LayerKind>(kernel.origin));
}

template <typename Number = float>
const Number* read_at(const KernelArguments& arguments, std::size_t i) {
  return reinterpret_cast<const Number*>(arguments.reads[i]);
}
template <typename Number = float>
Number* write_at(const KernelArguments& arguments, std::size_t i) {
  return reinterpret_cast<Number*>(arguments.writes[i]);
}

// Whether it really lies as [samples, height, width, channels].
bool lies_channels_last(const KernelOperand& operand);

// A tensor seen around one of its dimensions, as it lies in memory: index = (outer · channels +
// channel) · inner + i. An image with its channels last has inner = 1.
struct ChannelView {
  std::int64_t outer = 1;
  std::int64_t channels = 1;
  std::int64_t inner = 1;
};
ChannelView view_around(const KernelOperand& operand, std::int64_t axis);

}  // namespace stint
