#include "executor/cpu/dnn/dnn_kernels.hpp"
#include "executor/cpu/kernel.hpp"
#include "executor/cpu/own/own_kernel.hpp"
#include "executor/cpu/then_kernel.hpp"
#include "files/input_error.hpp"

namespace stint {
namespace {

// Loops are compiled for registers of 256 bits.
void expect_wide_registers() {
#ifdef __x86_64__
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    throw InputError("this processor", "has no AVX2; expected one that has, to train networks");
#endif
}

}  // namespace

std::unique_ptr<CpuKernel> make_cpu_kernel(const TaskKernel& kernel) {
  expect_wide_registers();
  if (auto both = make_then_kernel(kernel)) return both;
  if (auto own = make_own_kernel(kernel)) return own;
  if (auto dnn = make_dnn_kernel(kernel)) return dnn;
  throw InputError(kernel.op, "no kernel for CPUs; expected an operation of a layer we know");
}

}  // namespace stint
