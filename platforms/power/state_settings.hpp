// What a power state of a platform means on this machine. Its name tells: `2.3GHz` or `2301MHz` is
// a frequency, `250W` a limit of the whole device.
//
//   cpu   frequency   scaling_setspeed under the userspace governor, else scaling_min_freq =
//                     scaling_max_freq, of every policy (intel_pstate has no other way)
//   cpu   limit       constraint_0_power_limit_uw of every package, shared evenly
//   cuda  frequency   locked clocks
//   cuda  limit       the power management limit
//
// Needs root, or files and capabilities given away by root.
// Reference: Linux, Documentation/admin-guide/pm/cpufreq.rst, power/powercap; nvml.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platforms/power/power_setting.hpp"

namespace stint {

// Part of the machine: all processors, one of them, or a GPU.
struct MachinePart {
  bool is_gpu = false;
  int number = -1;  // of the GPU; of the processor whose policy is meant, or -1: all
  bool operator==(const MachinePart&) const = default;
};

struct StateSettings {
  std::vector<PowerSetting> apply;    // in this order
  std::vector<PowerSetting> expect;   // what must then be read back
  std::vector<PowerSetting> restore;  // in this order: as it was when this was made
};

// Reads, and sets nothing. Throws PowerFault if the name tells nothing, or the machine has nothing
// of the kind.
StateSettings state_settings(const MachinePart& unit, const std::string& state,
                             const PowerControl& control);

}  // namespace stint
