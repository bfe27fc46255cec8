// Watts of a GPU, by its own counter: in a window at rest, and in one in which its first worker
// runs a step again and again. What it draws beyond rest is the price of being busy, whatever the
// class of ops.
#pragma once

#include <atomic>
#include <string>

#include "executor/calibrate/network_step.hpp"
#include "platforms/meters/energy_meter.hpp"
#include "platforms/platform.hpp"

namespace stint {

struct GpuPowerWindows {
  double seconds = 2;  // of each
  std::string domain;  // of the meter, such as gpu-0
  std::string source;  // that prices name
};

// False, with the device as it was, if the meter says nothing or when interrupted.
bool measure_gpu_power(const NetworkStep& load, const GpuPowerWindows& windows, EnergyMeter& meter,
                       const std::atomic<bool>& interrupted, Platform& platform, DeviceId gpu);

}  // namespace stint
