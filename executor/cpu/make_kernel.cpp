#include "executor/cpu/dnn/dnn_kernels.hpp"
#include "executor/cpu/kernel.hpp"
#include "executor/cpu/own/own_kernel.hpp"
#include "files/input_error.hpp"

namespace stint {

std::unique_ptr<CpuKernel> make_cpu_kernel(const TaskKernel& kernel) {
  if (auto own = make_own_kernel(kernel)) return own;
  if (auto dnn = make_dnn_kernel(kernel)) return dnn;
  throw InputError(kernel.op, "no kernel for CPUs; expected an operation of a layer we know");
}

}  // namespace stint
