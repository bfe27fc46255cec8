// Runs the steps of designed networks on a clock: that of this machine, or one that is made up.
// What of a task is not in the caches of the device, in listed order, is a feature like any other
// (schedules/cache_traffic.hpp): small tasks take what it takes to fetch their operands.
//
// Networks that are held out are measured among the others, and a second time after all of them:
// how much the two differ is as well as any prediction could do.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "executor/calibrate/designed_networks.hpp"
#include "executor/calibrate/observation.hpp"
#include "executor/calibrate/step_clock.hpp"
#include "platforms/platform.hpp"

namespace stint {

// Called before each of `all` steps is measured.
using MeasureProgress = std::function<void(std::size_t done, std::size_t all)>;

// By network, then op, then shape. Ends early, with what it has, when interrupted.
std::vector<Observation> observe(const NetworkDesign& design, const Device& device,
                                 const StepClocks& clocks, const std::atomic<bool>& interrupted,
                                 const MeasureProgress& progress);

}  // namespace stint
