// Runs the steps of designed networks on a clock: that of this machine, or one that is made up.
// Every fourth network of each family is held out, whole, and measured a second time after all
// others: how much the two differ is as well as any prediction could do.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "executor/calibrate/observation.hpp"
#include "executor/calibrate/step_clock.hpp"

namespace stint {

// Called before each of `all` steps is measured.
using MeasureProgress = std::function<void(std::size_t done, std::size_t all)>;

// By network, then op, then shape. Ends early, with what it has, when interrupted.
std::vector<Observation> observe(const std::vector<NetworkStep>& networks, const StepClocks& clocks,
                                 const std::atomic<bool>& interrupted,
                                 const MeasureProgress& progress);

}  // namespace stint
