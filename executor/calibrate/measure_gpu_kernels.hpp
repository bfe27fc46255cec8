// Every kernel that one lowering of a network runs, on a GPU: of all deterministic ways to compute
// a task the fastest, with the workspace that it needs and its time by the GPU's clock. Entries for
// the platform's `kernels`, where `plan` finds them and pins them.
//
// Whole steps are run, tasks in listed order, as `run` does it: each way of a task in a step of its
// own. Not a plan: nothing is bounded, and nothing is proved.
#pragma once

#include <vector>

#include "executor/calibrate/network_step.hpp"
#include "platforms/platform.hpp"

namespace stint {

// Ascending (op, shape). Throws InputError if the GPU has no kernel for a task, or too little
// memory for a step that keeps everything.
std::vector<Kernel> measure_gpu_kernels(const NetworkStep& step, const Platform& platform,
                                        DeviceId gpu);

}  // namespace stint
