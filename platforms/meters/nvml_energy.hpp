// Energy of GPUs by NVIDIA's management library: the counter of millijoules since the driver was
// loaded (Volta and later); where there is none, the power that the library tells, sampled and
// summed up, and the period said. The library averages power over up to a second, so sampled power
// of a short window is a guess.
#pragma once

#include <string>

#include "platforms/meters/energy_meter.hpp"
#include "platforms/nvml.hpp"

namespace stint {

EnergySource nvml_source(const std::string& library = nvml_library,
                         const SecondsNow& now = steady_seconds);

}  // namespace stint
