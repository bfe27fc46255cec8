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

bool adds(const FusedProduct& fused) {
  return std::ranges::any_of(
      fused.then, [](const LayerKind& layer) { return std::holds_alternative<Add>(layer); });
}

// The residual is the last that the task reads.
TaskKernel product_of(const TaskKernel& kernel, const FusedProduct& fused) {
  TaskKernel product = kernel;
  product.op = std::string(op_name(fused.product)) + ".forward";
  product.origin = fused.product;
  if (adds(fused)) product.reads.pop_back();
  product.writes = {between_of(kernel, fused)};
  return product;
}

// A layer after the product, by itself: reads what was made so far, and perhaps the residual.
TaskKernel kernel_after(const TaskKernel& kernel, const FusedProduct& fused,
                        const LayerKind& layer) {
  TaskKernel alone = kernel;
  const bool pools = fused.pool.has_value();
  alone.op = pools ? "relu_pool.forward" : std::string(op_name(layer)) + ".forward";
  alone.origin = pools ? Origin(FusedPool{std::get<Relu>(layer), *fused.pool}) : Origin(layer);
  alone.reads = {between_of(kernel, fused)};
  if (std::holds_alternative<Add>(layer)) alone.reads.push_back(between_of(kernel, fused));
  if (fused.keeps_between) alone.writes.resize(1);
  return alone;
}

class ThenKernel final : public CpuKernel {
 public:
  ThenKernel(const TaskKernel& kernel, const FusedProduct& fused)
      : product_(make_cpu_kernel(product_of(kernel, fused))),
        adds_(adds(fused)),
        keeps_between_(fused.keeps_between) {
    workspace_bytes_ = product_->workspace_bytes();
    for (const LayerKind& layer : fused.then) {
      Layer& next = layers_.emplace_back();
      next.kernel = make_cpu_kernel(kernel_after(kernel, fused, layer));
      if (std::holds_alternative<Add>(layer)) next.made_at = fused.residual_first ? 1 : 0;
      next.arguments.reads.resize(std::holds_alternative<Add>(layer) ? 2 : 1);
      next.arguments.writes.reserve(kernel.writes.size());
      workspace_bytes_ = std::max(workspace_bytes_, next.kernel->workspace_bytes());
    }
    between_at_ = aligned_workspace(workspace_bytes_);
    between_bytes_ = fused.pool ? bytes_of(between_of(kernel, fused)) : 0;
    to_product_.reads.resize(kernel.reads.size() - (adds_ ? 1 : 0));
    to_product_.writes.resize(1);
  }

  void run(const KernelArguments& arguments) override {
    std::byte* const between = place_between(arguments);
    std::copy_n(arguments.reads.begin(), to_product_.reads.size(), to_product_.reads.begin());
    to_product_.writes[0] = between;
    to_product_.workspace = arguments.workspace;
    product_->run(to_product_);
    const std::byte* made = between;
    for (Layer& layer : layers_) {
      KernelArguments& to_layer = layer.arguments;
      if (to_layer.reads.size() > 1) to_layer.reads[1 - layer.made_at] = arguments.reads.back();
      to_layer.reads[layer.made_at] = made;
      to_layer.writes = arguments.writes;
      if (keeps_between_) to_layer.writes.resize(1);
      to_layer.workspace = arguments.workspace;
      layer.kernel->run(to_layer);
      made = arguments.writes[0];
    }
  }

  std::int64_t workspace_bytes() const override { return between_at_ + between_bytes_; }
  std::string algorithm() const override {
    std::string all = product_->algorithm();
    for (const Layer& layer : layers_) all += ", then " + layer.kernel->algorithm();
    return all;
  }
  std::string weight_order() const override { return product_->weight_order(); }

 private:
  struct Layer {
    std::unique_ptr<CpuKernel> kernel;
    std::size_t made_at = 0;    // where among its operands what was made so far stands
    KernelArguments arguments;  // kept, so that running allocates nothing
  };

  std::byte* place_between(const KernelArguments& arguments) const {
    if (between_bytes_ > 0) return arguments.workspace + between_at_;
    return keeps_between_ ? arguments.writes[1] : arguments.writes[0];
  }

  std::unique_ptr<CpuKernel> product_;
  std::vector<Layer> layers_;
  bool adds_;
  bool keeps_between_;
  std::int64_t workspace_bytes_ = 0;
  std::int64_t between_at_ = 0;
  std::int64_t between_bytes_ = 0;
  KernelArguments to_product_;
};

}  // namespace

std::unique_ptr<CpuKernel> make_then_kernel(const TaskKernel& kernel) {
  const auto* fused = std::get_if<FusedProduct>(&kernel.origin);
  return fused == nullptr ? nullptr : std::make_unique<ThenKernel>(kernel, *fused);
}

}  // namespace stint
