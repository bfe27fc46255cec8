// A product (convolution, linear layer) and what is done to its result right after it: layers that
// work element by element, in its place; a GELU, for which it is kept where backward reads it; or a
// ReLU and maxima of it, for which it stands in the workspace. One kernel after the other, so the
// bits are those of as many tasks; of a small leaf, each finds its input in cache.
//
// ReLUs of oneDNN's own would turn what is not a number into 0, and hide that training failed; its
// other functions would round otherwise than the layers' own kernels.
#pragma once

#include "executor/cpu/kernel.hpp"

namespace stint {

// Null if the operation is no such row.
std::unique_ptr<CpuKernel> make_then_kernel(const TaskKernel& kernel);

}  // namespace stint
