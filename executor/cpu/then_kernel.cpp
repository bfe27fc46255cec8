#include "executor/cpu/then_kernel.hpp"

#include <algorithm>

#include "executor/cpu/leaf_kernels.hpp"
#include "models/training/workspace.hpp"

namespace stint {
namespace {

// What the product makes, laid out as the task's images are.
KernelOperand between_of(const TaskKernel& kernel, const FusedProduct& fused) {
  KernelOperand between = kernel.writes[0];
  between.shape.clear();
  for (const Dimension dimension : fused.between)
    between.shape.push_back(dimension.at(kernel.samples));
  between.place = 0;
  return between;
}

TaskKernel product_of(const TaskKernel& kernel, const FusedProduct& fused) {
  TaskKernel product = kernel;
  product.op = std::string(op_name(fused.product)) + ".forward";
  product.origin = fused.product;
  product.writes = {between_of(kernel, fused)};
  return product;
}

TaskKernel tail_of(const TaskKernel& kernel, const FusedProduct& fused) {
  TaskKernel tail = kernel;
  tail.op = fused.pool ? "relu_pool.forward" : "relu.forward";
  tail.origin = fused.pool ? Origin(FusedPool{fused.rectifier, *fused.pool})
                           : Origin(LayerKind(fused.rectifier));
  tail.reads = {between_of(kernel, fused)};
  return tail;
}

class ThenKernel final : public CpuKernel {
 public:
  ThenKernel(const TaskKernel& kernel, const FusedProduct& fused)
      : product_(make_cpu_kernel(product_of(kernel, fused))),
        tail_(make_cpu_kernel(tail_of(kernel, fused))),
        between_at_(
            aligned_workspace(std::max(product_->workspace_bytes(), tail_->workspace_bytes()))),
        between_bytes_(fused.pool ? bytes_of(between_of(kernel, fused)) : 0) {
    to_product_.writes.resize(1);
    to_tail_.reads.resize(1);
  }

  void run(const KernelArguments& arguments) override {
    std::byte* const between =
        between_bytes_ > 0 ? arguments.workspace + between_at_ : arguments.writes[0];
    to_product_.reads = arguments.reads;
    to_product_.writes[0] = between;
    to_product_.workspace = arguments.workspace;
    product_->run(to_product_);
    to_tail_.reads[0] = between;
    to_tail_.writes = arguments.writes;
    to_tail_.workspace = arguments.workspace;
    tail_->run(to_tail_);
  }

  std::int64_t workspace_bytes() const override { return between_at_ + between_bytes_; }
  std::string algorithm() const override {
    return product_->algorithm() + ", then " + tail_->algorithm();
  }
  std::string weight_order() const override { return product_->weight_order(); }

 private:
  std::unique_ptr<CpuKernel> product_;
  std::unique_ptr<CpuKernel> tail_;
  std::int64_t between_at_;
  std::int64_t between_bytes_;
  KernelArguments to_product_;  // kept, so that running allocates nothing
  KernelArguments to_tail_;
};

}  // namespace

std::unique_ptr<CpuKernel> make_then_kernel(const TaskKernel& kernel) {
  const auto* fused = std::get_if<FusedProduct>(&kernel.origin);
  return fused == nullptr ? nullptr : std::make_unique<ThenKernel>(kernel, *fused);
}

}  // namespace stint
