#include "executor/cpu/dnn/dnn_kernels.hpp"

#include "executor/cpu/dnn/convolutions.hpp"
#include "executor/cpu/dnn/dnn_engine.hpp"
#include "executor/cpu/dnn/dnn_ops.hpp"
#include "executor/cpu/dnn/pools.hpp"
#include "executor/cpu/dnn/products.hpp"
#include "executor/cpu/dnn/weight_forms.hpp"
#include "files/input_error.hpp"

namespace stint {
namespace {

struct Maker {
  const TaskKernel& task;

  std::unique_ptr<CpuKernel> operator()(const Conv2d& layer) const {
    return make_convolution(task, layer);
  }
  std::unique_ptr<CpuKernel> operator()(const ConvTranspose2d& layer) const {
    return make_convolution(task, layer);
  }
  std::unique_ptr<CpuKernel> operator()(const MaxPool2d& layer) const {
    return make_pool(task, layer);
  }
  std::unique_ptr<CpuKernel> operator()(const AvgPool2d& layer) const {
    return make_pool(task, layer);
  }
  std::unique_ptr<CpuKernel> operator()(const GlobalAvgPool& layer) const {
    return make_pool(task, layer);
  }
  std::unique_ptr<CpuKernel> operator()(const Linear&) const { return make_linear(task); }
  std::unique_ptr<CpuKernel> operator()(const Matmul& layer) const {
    return make_matmul(task, layer);
  }
  template <typename Other>
  std::unique_ptr<CpuKernel> operator()(const Other&) const {
    return nullptr;
  }
};

}  // namespace

std::unique_ptr<CpuKernel> make_dnn_kernel(const TaskKernel& kernel) {
  if (!is_dnn_op(kernel.op)) return nullptr;
  use_one_thread();
  try {
    if (kernel.op == weight_reorder_op) return make_weight_reorder(kernel);
    return std::visit(Maker{kernel}, std::get<LayerKind>(kernel.origin));
  } catch (const dnnl::error& error) {
    throw InputError(kernel.op, std::string("oneDNN has no kernel of these sizes (") +
                                    error.what() + "); expected sizes that it takes");
  }
}

}  // namespace stint
