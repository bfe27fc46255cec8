// Every kernel that one lowering of a network runs, as it is on this machine: which implementation,
// in which order it wants its weight, the workspace it needs, and its time. Entries for the
// platform's `kernels`, where `plan` finds them.
//
// Kernels first say how they want their weights; lowered anew with these orders, the network has
// the reorders that this takes, and it is those tasks that are measured, in a step.
#pragma once

#include <vector>

#include "executor/calibrate/step_clock.hpp"
#include "platforms/platform.hpp"

namespace stint {

// Ascending (op, shape): of tasks that are alike the mean. Without `orders_weights`, weights stay
// as they are listed, as in plans for devices of several kinds.
std::vector<Kernel> measure_kernels(const NetworkStep& step, const StepClock& clock,
                                    bool orders_weights = true);

}  // namespace stint
