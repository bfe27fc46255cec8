#include "executor/calibrate/measure_power.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

#include "executor/calibrate/gpu_clocks.hpp"
#include "executor/ticks.hpp"
#include "schedules/cost.hpp"

namespace stint {
namespace {

std::optional<double> joules_of(const EnergyReading& reading) {
  double joules = 0;
  for (const DomainReading& domain : reading.domains) {
    if (!domain.joules) return std::nullopt;
    joules += *domain.joules;
  }
  return joules > 0 ? std::optional(joules) : std::nullopt;
}

// What the meter says, and the seconds that the cores were at it.
struct Metered {
  PowerWindow window;
  double busy_seconds = 0;
  // In which it is not known whether counter and clocks saw the same: they are read one after the
  // other, and a busy machine may stop the program in between.
  double blurred_seconds = 0;
};

// Clocks read on both sides of a counter: it saw what lies in between.
struct Moment {
  double busy_seconds = 0;
  double blurred_seconds = 0;
};
template <typename Read>
Moment around(BusyCores& busy, const Read& read) {
  const double before = steady_seconds();
  const double busy_before = busy.seconds();
  read();
  const double busy_after = busy.seconds();
  return {(busy_before + busy_after) / 2, steady_seconds() - before};
}

// False if that ended it early. Waking up draws watts too: not more often than nobody minds.
bool sleep_unless(const std::atomic<bool>& interrupted, double seconds) {
  constexpr double nap_seconds = 0.25;
  const double end = steady_seconds() + seconds;
  for (double left = seconds; left > 0 && !interrupted; left = end - steady_seconds())
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, nap_seconds)));
  return !interrupted;
}

// How a window is made, and what may end it.
struct Metering {
  double window_seconds = 0;
  EnergyMeter& meter;
  const std::atomic<bool>& interrupted;
};

// Nothing if the meter says nothing, or when interrupted.
std::optional<Metered> metered_once(BusyCores& busy, const Metering& metering) {
  const Moment begin = around(busy, [&] { metering.meter.begin_window(); });
  const bool whole = sleep_unless(metering.interrupted, metering.window_seconds);
  EnergyReading reading;
  const Moment end = around(busy, [&] { reading = metering.meter.end_window(); });
  const std::optional<double> joules = joules_of(reading);
  if (!joules || !whole) return std::nullopt;
  return Metered{{.seconds = reading.seconds, .joules = *joules},
                 end.busy_seconds - begin.busy_seconds,
                 begin.blurred_seconds + end.blurred_seconds};
}

// The sharpest of several windows, the first if it is sharp enough.
std::optional<Metered> metered(const std::vector<int>& cores, const MakeWork& work,
                               const Metering& metering) {
  constexpr int most_windows = 5;
  constexpr double sharp = 5e-4;
  if (metering.interrupted) return std::nullopt;
  BusyCores busy(cores, work);
  std::optional<Metered> best;
  for (int i = 0; i < most_windows; ++i) {
    const auto window = metered_once(busy, metering);
    if (!window) break;
    if (!best || window->blurred_seconds < best->blurred_seconds) best = window;
    if (best->blurred_seconds < sharp * metering.window_seconds) break;
  }
  busy.finish();
  return best;
}

// Looks at the clock, as a worker does that waits.
Work make_spinning() {
  return [] {
    const std::int64_t end = nanoseconds_in(1e-4);
    while (steady_nanoseconds() < end) continue;
  };
}

Quantity measured(double watts, const std::string& source) {
  return {watts, Basis::measured, source};
}

void price(const PowerPrices& prices, double share, const std::string& source, Device& device) {
  device.idle_watts = measured(prices.idle_watts * share, source);
  device.active_watts = measured(prices.active_watts, source);
  device.wait_watts = measured(prices.wait_watts, source);
  PowerState& state = device.states.front();
  double sum = 0;
  for (const auto& [name, watts] : prices.busy_watts) {
    state.busy_watts_by_class[name] = measured(watts, source);
    sum += watts;
  }
  state.busy_watts = measured(sum / static_cast<double>(prices.busy_watts.size()), source);
}

}  // namespace

PowerLoads::PowerLoads(std::vector<LoweredNetwork> networks) : networks_(std::move(networks)) {
  std::map<std::string, double> most_flops;
  for (const LoweredNetwork& network : networks_) {
    for (std::size_t t = 0; t < network.kernels.size(); ++t) {
      const Task& task = network.graph.tasks[t];
      const std::string of_class = op_class(task.op);
      if (of_class.empty() || task.flops < most_flops[of_class]) continue;
      most_flops[of_class] = task.flops;
      by_class_[of_class] = kernel_work(network.kernels[t]);
    }
  }
}

std::vector<PowerWindow> power_windows(const std::vector<int>& cores, const PowerLoads& loads,
                                       double window_seconds, EnergyMeter& meter,
                                       const std::atomic<bool>& interrupted) {
  const Metering metering{window_seconds, meter, interrupted};
  std::vector<PowerWindow> windows;
  if (const auto rest = metered({}, make_spinning, metering)) windows.push_back(rest->window);
  if (auto spinning = metered(cores, make_spinning, metering)) {
    windows.push_back(spinning->window);
    windows.back().spinning_seconds = spinning->busy_seconds;
  }
  for (const auto& [of_class, work] : loads.by_class()) {
    for (const std::vector<int>& some : {std::vector<int>{cores.front()}, cores}) {
      const auto busy = metered(some, work, metering);
      if (!busy) continue;
      windows.push_back(busy->window);
      windows.back().active_seconds = busy->window.seconds;
      windows.back().busy_seconds[of_class] = busy->busy_seconds;
      if (cores.size() == 1) break;
    }
  }
  return windows;
}

bool measure_power(const PowerLoads& loads, double window_seconds, const std::string& source,
                   EnergyMeter& meter, const std::atomic<bool>& interrupted, Platform& platform) {
  const int workers = std::accumulate(
      platform.devices.begin(), platform.devices.end(), 0,
      [](int sum, const Device& device) { return is_gpu(device) ? sum : sum + device.workers; });
  Platform priced = platform;
  int first = 0;
  for (Device& device : priced.devices) {
    if (is_gpu(device)) continue;  // no cores of this machine
    std::vector<int> cores(device.workers);
    std::iota(cores.begin(), cores.end(), first);
    first += device.workers;
    const auto windows = power_windows(cores, loads, window_seconds, meter, interrupted);
    if (interrupted) return false;
    const PowerPrices prices = fit_power(windows);
    if (windows.size() < 2 + loads.by_class().size() || prices.idle_watts <= 0) return false;
    price(prices, static_cast<double>(device.workers) / workers, source, device);
  }
  platform = std::move(priced);
  return true;
}

}  // namespace stint
