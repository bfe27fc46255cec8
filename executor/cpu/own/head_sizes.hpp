// The sizes of an attention task, for kernels of any device.
#pragma once

#include "executor/cpu/own/attention.hpp"
#include "models/training/task_kernel.hpp"

namespace stint {

HeadSizes head_sizes(const TaskKernel& kernel);

}  // namespace stint
