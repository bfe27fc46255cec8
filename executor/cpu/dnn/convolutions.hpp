// Kernels of convolutions and transposed convolutions: forward, backward_data, backward_weights.
#pragma once

#include "executor/cpu/kernel.hpp"
#include "models/layers/layer.hpp"

namespace stint {

std::unique_ptr<CpuKernel> make_convolution(const TaskKernel& task, const Conv2d& layer);
std::unique_ptr<CpuKernel> make_convolution(const TaskKernel& task, const ConvTranspose2d& layer);

}  // namespace stint
