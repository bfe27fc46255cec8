// Maxima by plain loops, for windows that oneDNN has only a reference loop for: dilated ones, and
// those of nearly 256 places, whose indices it keeps in other sizes. The first of equal maxima
// counts, and a NaN is greater than every number.
#pragma once

#include "executor/cpu/kernel.hpp"
#include "models/layers/layer.hpp"

namespace stint {

std::unique_ptr<CpuKernel> make_plain_max_pool(const TaskKernel& task, const MaxPool2d& layer);

}  // namespace stint
