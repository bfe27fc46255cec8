// A machine of known prices, for tests that measure it: a clock that reads no clock.
#pragma once

#include "executor/calibrate/step_clock.hpp"
#include "platforms/platform.hpp"

namespace stint {

// Seconds by this model, every reading off by up to `noise` either way; alone, a task takes 0.8 of
// it. The same noise every time.
StepClocks made_up_clocks(const TimeModel& model, double noise);

// A task with these costs and nothing else.
Task costs(double flops, double bytes);

}  // namespace stint
