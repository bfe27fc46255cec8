// Kernels of oneDNN: convolutions, pooling, and products of matrices.
//
// What a library does better than a plain loop, and nothing else. Every primitive is made for one
// thread and runs on one, whatever thread runs it. Weights arrive in listed order and are packed
// into the workspace as the implementation wants them, which costs as many bytes as they have.
#pragma once

#include <memory>

#include "executor/cpu/kernel.hpp"

namespace stint {

// Null if the op is not one of these. Throws InputError if oneDNN has no good kernel for it, or was
// left out of the build.
std::unique_ptr<CpuKernel> make_dnn_kernel(const TaskKernel& kernel);

}  // namespace stint
