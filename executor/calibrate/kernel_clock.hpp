// How long a task takes: on this machine, or on one that a test makes up.
#pragma once

#include <functional>

#include "models/graph.hpp"
#include "models/training/task_kernel.hpp"

namespace stint {

// Seconds of a task on one worker.
using KernelClock = std::function<double(const Task&, const TaskKernel&)>;

struct KernelClocks {
  KernelClock seconds;  // with as many workers busy as is asked for
  KernelClock alone;    // with every other core at rest
};

// Core `core` of this machine, of those that platforms/cores.hpp counts, with the others at rest.
KernelClock lone_core_clock(int core);

// The same while every other core runs the same task, on buffers of its own: caches and memory are
// then shared as in a plan that keeps all workers busy.
KernelClock busy_core_clock(int core);

}  // namespace stint
