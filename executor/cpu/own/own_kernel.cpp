#include "executor/cpu/own/own_kernel.hpp"

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

}  // namespace

std::unique_ptr<CpuKernel> loop_kernel(LoopBody body, std::int64_t workspace_bytes) {
  return std::make_unique<LoopKernel>(std::move(body), workspace_bytes);
}

std::unique_ptr<CpuKernel> make_own_kernel(const TaskKernel& kernel) {
  for (const OwnKernels family :
       {activation_kernels(), sum_kernels(), broadcast_kernels(), batch_norm_kernels(),
        batch_norm_relu_kernels(), relu_pool_kernels(), layer_norm_kernels(), lrn_kernels(),
        softmax_kernels(), attention_kernels(), embedding_kernels(), dropout_kernels(),
        form_kernels(), loss_kernels(), optimizer_kernels(), small_convolution_kernels()}) {
    for (const OwnKernel& own : family) {
      if (own.op == kernel.op) return own.make(kernel);
    }
  }
  return nullptr;
}

}  // namespace stint
