#include "executor/cuda/gpu_kernel.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "files/input_error.hpp"

namespace stint {
namespace {

class QueuedKernel final : public LeafKernel {
 public:
  QueuedKernel(GpuBody body, std::int64_t workspace_bytes, std::string_view algorithm)
      : body_(std::move(body)), workspace_bytes_(workspace_bytes), algorithm_(algorithm) {}

  void run(const KernelArguments& arguments) override { body_(arguments); }
  std::int64_t workspace_bytes() const override { return workspace_bytes_; }
  std::string algorithm() const override { return algorithm_; }

 private:
  GpuBody body_;
  std::int64_t workspace_bytes_;
  std::string algorithm_;
};

// Orders that processors like are none that cuDNN and cuBLAS know.
void expect_listed_weights(const TaskKernel& kernel) {
  for (const auto* list : {&kernel.reads, &kernel.writes, &kernel.updates}) {
    const bool all_listed = std::all_of(list->begin(), list->end(),
                                        [](const KernelOperand& o) { return o.order.empty(); });
    if (all_listed) continue;
    throw InputError(kernel.op,
                     "its weight is stored in an order for CPUs; expected a plan for a "
                     "platform whose kernels pin no order of weights");
  }
}

const GpuKernel* find_kernel(std::string_view op) {
  for (const GpuKernels family :
       {gpu_element_kernels(), gpu_optimizer_kernels(), gpu_form_kernels(),
        gpu_batch_norm_kernels(), gpu_layer_norm_kernels(), gpu_lrn_kernels(),
        gpu_softmax_kernels(), gpu_loss_kernels(), gpu_pool_kernels(), gpu_product_kernels(),
        gpu_convolution_kernels(), gpu_attention_kernels()}) {
    const auto known = std::find_if(family.begin(), family.end(),
                                    [&](const GpuKernel& one) { return one.op == op; });
    if (known != family.end()) return &*known;
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<LeafKernel> gpu_kernel(GpuBody body, std::int64_t workspace_bytes,
                                       std::string_view algorithm) {
  return std::make_unique<QueuedKernel>(std::move(body), workspace_bytes, algorithm);
}

int gpu_ways(std::string_view op) {
  const GpuKernel* const known = find_kernel(op);
  return known == nullptr ? 1 : known->ways;
}

std::unique_ptr<LeafKernel> make_gpu_kernel(const TaskKernel& kernel, const GpuQueue& queue) {
  const GpuKernel* const known = find_kernel(kernel.op);
  if (known == nullptr)
    throw InputError(kernel.op, "no kernel for GPUs; expected it on a CPU, or --synthetic");
  expect_listed_weights(kernel);
  return known->make(kernel, queue);
}

}  // namespace stint
