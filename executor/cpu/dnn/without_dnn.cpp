// What stands in for oneDNN where it was left out of the build.
#include "executor/cpu/dnn/dnn_kernels.hpp"
#include "executor/cpu/dnn/dnn_ops.hpp"
#include "files/input_error.hpp"

namespace stint {

std::unique_ptr<CpuKernel> make_dnn_kernel(const TaskKernel& kernel) {
  if (is_dnn_op(kernel.op))
    throw InputError(kernel.op, "needs oneDNN; expected a build with STINT_ONEDNN=ON");
  return nullptr;
}

}  // namespace stint
