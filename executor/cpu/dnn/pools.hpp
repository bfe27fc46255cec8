// Kernels of pooling. Where a maximum came from is told by the place in its window, row by row, one
// byte or one int32 for every output, whichever kernel wrote it.
#pragma once

#include "executor/cpu/kernel.hpp"
#include "models/layers/layer.hpp"

namespace stint {

std::unique_ptr<CpuKernel> make_pool(const TaskKernel& task, const MaxPool2d& layer);
std::unique_ptr<CpuKernel> make_pool(const TaskKernel& task, const AvgPool2d& layer);
std::unique_ptr<CpuKernel> make_pool(const TaskKernel& task, const GlobalAvgPool& layer);

}  // namespace stint
