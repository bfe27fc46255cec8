// A plan of a network, replayed as `run` does, but for loading: inputs are there before each step,
// as they are for its rivals.
#pragma once

#include "benchmarks/starpu/training_data.hpp"

namespace stint {

// After some steps that are not counted, training begins anew.
TrainedSteps train_by_plan(const Schedule& schedule, int warmup_steps, int steps);

}  // namespace stint
