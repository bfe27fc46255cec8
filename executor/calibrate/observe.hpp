// Runs designed networks, kernel by kernel, on a clock: that of this machine, or one that is made
// up. Networks are held out whole, every fourth of each family, and so are the shapes that no other
// network has; these are measured a second time after all others.
#pragma once

#include <atomic>
#include <vector>

#include "executor/calibrate/designed_networks.hpp"
#include "executor/calibrate/measure_kernels.hpp"
#include "executor/calibrate/observation.hpp"

namespace stint {

// By op, then shape; each once. Ends early, with what it has, when interrupted.
std::vector<Observation> observe(const std::vector<DesignedNetwork>& networks,
                                 const KernelClocks& clocks, const std::atomic<bool>& interrupted,
                                 const MeasureProgress& progress);

}  // namespace stint
