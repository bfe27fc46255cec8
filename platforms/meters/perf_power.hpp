// RAPL counters as perf's power PMU shows them: one event per domain (`energy-pkg`, `energy-ram`,
// …) on one processor of every package. Widened to 64 bits by the kernel, so they never begin anew.
//
// A virtual machine may show the PMU with no events at all, or with psys alone: that is no counter.
// Reference: Linux, arch/x86/events/rapl.c; perf_event_open(2).
#pragma once

#include <string>

#include "platforms/meters/energy_domain.hpp"
#include "platforms/system_files.hpp"

namespace stint {

inline constexpr const char* perf_power_root = "/sys/bus/event_source/devices/power";

// perf_event_open and what it gives; tests have one of their own.
class PerfEvents {
 public:
  virtual ~PerfEvents() = default;
  // A descriptor, or -errno.
  virtual int open(std::uint32_t type, std::uint64_t config, int cpu) const;
  virtual std::optional<std::uint64_t> read(int descriptor) const;
  virtual void close(int descriptor) const;

  static const PerfEvents& real();
};

// `events` must outlive the counters.
EnergySource perf_power_source(const std::string& root = perf_power_root,
                               const SystemFiles& files = SystemFiles::real(),
                               const PerfEvents& events = PerfEvents::real());

}  // namespace stint
