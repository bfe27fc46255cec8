// Kernels of small convolutions: forward, backward_data, backward_weights, and in one go with what
// follows them.
#include "executor/cpu/own/small_convolution.hpp"

#include <limits>

#include "executor/cpu/own/own_kernel.hpp"

namespace stint {
namespace {

SmallConvolutionLoops loops_of_this_processor() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) return wide_small_convolution();
#endif
  return narrow_small_convolution();
}

ImageSizes sizes_of(const KernelOperand& image) {
  return {image.shape[1], image.shape[2], image.shape[3], lies_channels_last(image)};
}

SmallConvolution convolution_of(const Conv2d& layer, const KernelOperand& input,
                                const KernelOperand& result) {
  SmallConvolution sizes{.samples = input.shape[0],
                         .input = sizes_of(input),
                         .result = sizes_of(result),
                         .kernel_height = layer.kernel[0],
                         .kernel_width = layer.kernel[1],
                         .padding_top = layer.padding[0],
                         .padding_left = layer.padding[1]};
  sizes.output = sizes.result;
  sizes.output.height =
      sizes.input.height + layer.padding[0] + layer.padding[2] - layer.kernel[0] + 1;
  sizes.output.width =
      sizes.input.width + layer.padding[1] + layer.padding[3] - layer.kernel[1] + 1;
  sizes.at = band_places(layer, sizes.input.channels, sizes.input.width, sizes.output.width);
  return sizes;
}

SmallConvolution fused_of(const TaskKernel& kernel, const KernelOperand& result) {
  const auto& fused = std::get<FusedConvolution>(kernel.origin);
  SmallConvolution sizes = convolution_of(fused.convolution, kernel.reads[0], result);
  sizes.rectifies = true;
  sizes.min = static_cast<float>(fused.rectifier.min);
  sizes.max =
      static_cast<float>(fused.rectifier.max.value_or(std::numeric_limits<double>::infinity()));
  sizes.pools = fused.pools;
  return sizes;
}

float* workspace_of(const KernelArguments& arguments) {
  return reinterpret_cast<float*>(arguments.workspace);
}

template <typename Body>
std::unique_ptr<CpuKernel> kernel_of(const SmallConvolution& sizes, Body body) {
  const std::int64_t bytes = sizes.at.end * static_cast<std::int64_t>(sizeof(float));
  return loop_kernel([=](const KernelArguments& arguments) { body(sizes, arguments); }, bytes);
}

std::unique_ptr<CpuKernel> forward_of(const SmallConvolution& sizes, const TaskKernel& kernel) {
  const bool has_bias = kernel.reads.size() > 2;
  const bool keeps = kernel.writes.size() > 1;
  const auto run = loops_of_this_processor().forward;
  return kernel_of(sizes, [=](const SmallConvolution& s, const KernelArguments& arguments) {
    const SmallForward data{.x = read_at(arguments, 0),
                            .weight = read_at(arguments, 1),
                            .bias = has_bias ? read_at(arguments, 2) : nullptr,
                            .y = write_at(arguments, 0),
                            .indices = keeps ? write_at<std::uint8_t>(arguments, 1) : nullptr};
    run(s, data, workspace_of(arguments));
  });
}

bool is_small(const TaskKernel& kernel, const KernelOperand& input) {
  return is_small_convolution(layer_of<Conv2d>(kernel), input.shape[1]);
}

std::unique_ptr<CpuKernel> make_forward(const TaskKernel& kernel) {
  if (!is_small(kernel, kernel.reads[0])) return nullptr;
  return forward_of(convolution_of(layer_of<Conv2d>(kernel), kernel.reads[0], kernel.writes[0]),
                    kernel);
}

std::unique_ptr<CpuKernel> make_backward_data(const TaskKernel& kernel) {
  if (!is_small(kernel, kernel.writes[0])) return nullptr;
  const auto run = loops_of_this_processor().backward;
  return kernel_of(convolution_of(layer_of<Conv2d>(kernel), kernel.writes[0], kernel.reads[1]),
                   [=](const SmallConvolution& s, const KernelArguments& arguments) {
                     const SmallBackward data{.weight = read_at(arguments, 0),
                                              .dy = read_at(arguments, 1),
                                              .dx = write_at(arguments, 0)};
                     run(s, data, workspace_of(arguments));
                   });
}

std::unique_ptr<CpuKernel> make_backward_weights(const TaskKernel& kernel) {
  if (!is_small(kernel, kernel.reads[0])) return nullptr;
  const bool has_bias = kernel.writes.size() > 1;
  const auto run = loops_of_this_processor().backward;
  return kernel_of(convolution_of(layer_of<Conv2d>(kernel), kernel.reads[0], kernel.reads[1]),
                   [=](const SmallConvolution& s, const KernelArguments& arguments) {
                     const SmallBackward data{
                         .x = read_at(arguments, 0),
                         .dy = read_at(arguments, 1),
                         .weight_gradient = write_at(arguments, 0),
                         .bias_gradient = has_bias ? write_at(arguments, 1) : nullptr};
                     run(s, data, workspace_of(arguments));
                   });
}

std::unique_ptr<CpuKernel> make_fused_forward(const TaskKernel& kernel) {
  return forward_of(fused_of(kernel, kernel.writes[0]), kernel);
}

// Reads x, y, dy, indices if there are any, and the weight if dx is wanted.
std::unique_ptr<CpuKernel> make_fused_backward(const TaskKernel& kernel) {
  const auto& fused = std::get<FusedConvolution>(kernel.origin);
  const std::size_t gradients = fused.convolution.bias ? 2 : 1;
  const bool has_bias = fused.convolution.bias;
  const bool wants_data = kernel.writes.size() > gradients;
  const bool pools = fused.pools;
  const auto run = loops_of_this_processor().backward;
  return kernel_of(fused_of(kernel, kernel.reads[1]), [=](const SmallConvolution& s,
                                                          const KernelArguments& arguments) {
    const SmallBackward data{.x = read_at(arguments, 0),
                             .weight = wants_data ? read_at(arguments, pools ? 4 : 3) : nullptr,
                             .y = read_at(arguments, 1),
                             .indices = pools ? read_at<std::uint8_t>(arguments, 3) : nullptr,
                             .dy = read_at(arguments, 2),
                             .weight_gradient = write_at(arguments, 0),
                             .bias_gradient = has_bias ? write_at(arguments, 1) : nullptr,
                             .dx = wants_data ? write_at(arguments, gradients) : nullptr};
    run(s, data, workspace_of(arguments));
  });
}

constexpr OwnKernel kernels[] = {{"conv2d.forward", make_forward},
                                 {"conv2d.backward_data", make_backward_data},
                                 {"conv2d.backward_weights", make_backward_weights},
                                 {"conv2d_relu.forward", make_fused_forward},
                                 {"conv2d_relu.backward", make_fused_backward},
                                 {"conv2d_relu_pool.forward", make_fused_forward},
                                 {"conv2d_relu_pool.backward", make_fused_backward}};

}  // namespace

OwnKernels small_convolution_kernels() { return kernels; }

}  // namespace stint
