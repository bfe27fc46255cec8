#include "executor/calibrate/measure_gpu_power.hpp"

#include <chrono>
#include <optional>
#include <thread>

#include "executor/calibrate/gpu_clocks.hpp"

namespace stint {
namespace {

// Nothing if the counter was not read, or when interrupted.
std::optional<double> watts_in_window(const GpuPowerWindows& windows, EnergyMeter& meter,
                                      const std::atomic<bool>& interrupted) {
  constexpr std::chrono::milliseconds nap(50);
  meter.begin_window();
  const double end = steady_seconds() + windows.seconds;
  while (steady_seconds() < end && !interrupted) std::this_thread::sleep_for(nap);
  const EnergyReading reading = meter.end_window();
  if (interrupted) return std::nullopt;
  for (const DomainReading& domain : reading.domains) {
    if (domain.name == windows.domain && domain.joules && reading.seconds > 0)
      return *domain.joules / reading.seconds;
  }
  return std::nullopt;
}

}  // namespace

bool measure_gpu_power(const NetworkStep& load, const GpuPowerWindows& windows, EnergyMeter& meter,
                       const std::atomic<bool>& interrupted, Platform& platform, DeviceId gpu) {
  const auto idle = watts_in_window(windows, meter, interrupted);
  if (!idle) return false;
  std::optional<double> busy;
  {
    const BusyGpu at_work(load, platform, gpu);
    busy = watts_in_window(windows, meter, interrupted);
  }
  if (!busy || *idle <= 0 || *busy <= *idle) return false;
  Device& device = platform.devices[gpu];
  device.idle_watts = {*idle, Basis::measured, windows.source};
  device.states.front().busy_watts = {*busy - *idle, Basis::measured, windows.source};
  return true;
}

}  // namespace stint
