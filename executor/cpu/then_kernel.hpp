// A product (convolution, linear layer) and what is done to its result right after it: a ReLU in
// its place, or a ReLU and maxima of it, for which the result stands in the workspace. Two kernels,
// one after the other, so the bits are those of two tasks; of a small leaf, the second finds its
// input in cache.
//
// ReLUs of oneDNN's own would turn what is not a number into 0, and hide that training failed.
#pragma once

#include "executor/cpu/kernel.hpp"

namespace stint {

// Null if the operation is no such pair.
std::unique_ptr<CpuKernel> make_then_kernel(const TaskKernel& kernel);

}  // namespace stint
