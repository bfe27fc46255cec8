#include "executor/cpu/own/own_kernel.hpp"

#include <functional>
#include <numeric>
#include <utility>

namespace stint {
namespace {

class LoopKernel final : public CpuKernel {
 public:
  LoopKernel(LoopBody body, std::int64_t workspace_bytes)
      : body_(std::move(body)), workspace_bytes_(workspace_bytes) {}

  void run(const KernelArguments& arguments) override { body_(arguments); }
  std::int64_t workspace_bytes() const override { return workspace_bytes_; }
  std::string algorithm() const override { return "stint loops"; }

 private:
  LoopBody body_;
  std::int64_t workspace_bytes_;
};

std::int64_t product_of(std::span<const std::int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace

std::unique_ptr<CpuKernel> loop_kernel(LoopBody body, std::int64_t workspace_bytes) {
  return std::make_unique<LoopKernel>(std::move(body), workspace_bytes);
}

std::unique_ptr<CpuKernel> make_own_kernel(const TaskKernel& kernel) {
  for (const OwnKernels family :
       {activation_kernels(), sum_kernels(), broadcast_kernels(), batch_norm_kernels(),
        layer_norm_kernels(), lrn_kernels(), softmax_kernels(), attention_kernels(),
        embedding_kernels(), dropout_kernels(), form_kernels(), loss_kernels(), optimizer_kernels(),
        small_convolution_kernels()}) {
    for (const OwnKernel& own : family) {
      if (own.op == kernel.op) return own.make(kernel);
    }
  }
  return nullptr;
}

bool lies_channels_last(const KernelOperand& operand) {
  const auto& shape = operand.shape;
  return operand.channels_last && shape.size() == 4 && shape[1] > 1 && shape[2] * shape[3] > 1;
}

ChannelView view_around(const KernelOperand& operand, std::int64_t axis) {
  const std::span<const std::int64_t> shape = operand.shape;
  const std::size_t at = axis < 0 ? shape.size() + axis : static_cast<std::size_t>(axis);
  if (!lies_channels_last(operand))
    return {product_of(shape.first(at)), shape[at], product_of(shape.subspan(at + 1))};
  constexpr std::size_t lying[] = {0, 3, 1, 2};  // where each dimension is in memory
  const std::int64_t in_memory[] = {shape[0], shape[2], shape[3], shape[1]};
  const std::span<const std::int64_t> sizes = in_memory;
  const std::size_t place = lying[at];
  return {product_of(sizes.first(place)), sizes[place], product_of(sizes.subspan(place + 1))};
}

}  // namespace stint
