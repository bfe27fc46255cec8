// Means by plain loops, for windows that oneDNN counts otherwise: with padding counted, a last
// window that `ceil` lets reach beyond the padded image counts only what lies in that, as in
// PyTorch and ONNX; oneDNN counts all of it.
#pragma once

#include "executor/cpu/kernel.hpp"
#include "models/layers/layer.hpp"

namespace stint {

// Whether some window reaches beyond the padded image.
bool reaches_beyond_padding(const AvgPool2d& layer, const KernelOperand& input,
                            const KernelOperand& output);

std::unique_ptr<CpuKernel> make_plain_avg_pool(const TaskKernel& task, const AvgPool2d& layer);

}  // namespace stint
