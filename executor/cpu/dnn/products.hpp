// Kernels of linear layers and of products of activations. Weights stay in listed order: the
// library packs them block by block as it goes, which is faster than packing them whole first.
#pragma once

#include "executor/cpu/kernel.hpp"
#include "models/layers/layer.hpp"

namespace stint {

std::unique_ptr<CpuKernel> make_linear(const TaskKernel& task);
std::unique_ptr<CpuKernel> make_matmul(const TaskKernel& task, const Matmul& layer);

}  // namespace stint
