// How long the tasks of a step take: on this machine, or on one that a test makes up.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "executor/calibrate/network_step.hpp"
#include "models/training/lower_network.hpp"

namespace stint {

// Seconds of every task on one worker, in a step that runs them in listed order.
using StepClock =
    std::function<std::vector<double>(const NetworkStep&, const LoweredNetwork& lowered)>;

struct StepClocks {
  StepClock seconds;  // with as many workers busy as is asked for
  StepClock alone;    // with every other core at rest
};

// Core `core` of this machine, of those that platforms/cores.hpp counts, with the others at rest. A
// step that takes more than `most_bytes` is measured kernel by kernel, out of context.
StepClock lone_core_clock(int core, std::int64_t most_bytes);

// The same while every other core runs the same steps, on buffers of its own: caches and memory are
// then shared as in a plan that keeps all workers busy. The bytes are those of all cores.
StepClock busy_core_clock(int core, std::int64_t most_bytes);

}  // namespace stint
