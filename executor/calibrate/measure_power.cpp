#include "executor/calibrate/measure_power.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

#include "executor/accelerator.hpp"
#include "executor/calibrate/measure_caches.hpp"
#include "executor/ticks.hpp"
#include "schedules/cache_traffic.hpp"
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

// What the meter says, the seconds that the cores were at it, and how often they did their work.
struct Metered {
  PowerWindow window;
  double busy_seconds = 0;
  double runs = 0;
  // In which it is not known whether counter and clocks saw the same: they are read one after the
  // other, and a busy machine may stop the program in between.
  double blurred_seconds = 0;
};

// Cores at work, and how often they have done it.
class CountedWork {
 public:
  CountedWork(const std::vector<int>& cores, const MakeWork& make_work)
      : busy_(cores, [this, make_work] {
          return [this, work = make_work()] {
            work();
            runs_.fetch_add(1, std::memory_order_relaxed);
          };
        }) {}

  double seconds() { return busy_.seconds(); }
  double runs() const { return static_cast<double>(runs_.load(std::memory_order_relaxed)); }
  void finish() { busy_.finish(); }

 private:
  std::atomic<std::int64_t> runs_{0};
  BusyCores busy_;  // the last: its threads count
};

// Clocks read on both sides of a counter: it saw what lies in between.
struct Moment {
  double busy_seconds = 0;
  double runs = 0;
  double blurred_seconds = 0;
};
template <typename Read>
Moment around(CountedWork& busy, const Read& read) {
  const double before = steady_seconds();
  const double busy_before = busy.seconds();
  read();
  const double busy_after = busy.seconds();
  return {(busy_before + busy_after) / 2, busy.runs(), steady_seconds() - before};
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
std::optional<Metered> metered_once(CountedWork& busy, const Metering& metering) {
  const Moment begin = around(busy, [&] { metering.meter.begin_window(); });
  const bool whole = sleep_unless(metering.interrupted, metering.window_seconds);
  EnergyReading reading;
  const Moment end = around(busy, [&] { reading = metering.meter.end_window(); });
  const std::optional<double> joules = joules_of(reading);
  if (!joules || !whole) return std::nullopt;
  return Metered{{.seconds = reading.seconds, .joules = *joules},
                 end.busy_seconds - begin.busy_seconds,
                 end.runs - begin.runs,
                 begin.blurred_seconds + end.blurred_seconds};
}

// The sharpest of several windows, the first if it is sharp enough.
std::optional<Metered> metered(const std::vector<int>& cores, const MakeWork& work,
                               const Metering& metering) {
  constexpr int most_windows = 5;
  constexpr double sharp = 5e-4;
  if (metering.interrupted) return std::nullopt;
  CountedWork busy(cores, work);
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

constexpr const char* no_class = "";  // of passes over blocks, which are no op

// By level: what a load fetches from beyond a cache in one go.
std::map<int, double> missed_bytes_of(const PowerLoad& load, const Device& device) {
  const auto features = cache_features(load.graph, device);
  std::map<int, double> missed;
  for (const Cache& cache : device.caches)
    missed[cache.level] = load.repeats * features.at(0).at(missed_bytes_term(cache.level));
  return missed;
}

// These cores at it.
void add_window_of(const std::string& op_class, const PowerLoad& load, const Device& device,
                   const std::vector<int>& cores, const Metering& metering,
                   std::vector<PowerWindow>& windows) {
  const auto busy = metered(cores, load.make_work, metering);
  if (!busy) return;
  PowerWindow& window = windows.emplace_back(busy->window);
  window.active_seconds = window.seconds;
  window.busy_seconds[op_class] = busy->busy_seconds;
  for (const auto& [level, bytes] : missed_bytes_of(load, device))
    window.missed_bytes[level] = bytes * busy->runs;
}

void price(const PowerPrices& prices, double share, const std::string& source, Device& device) {
  device.idle_watts = measured(prices.idle_watts * share, source);
  device.active_watts = measured(prices.active_watts, source);
  device.wait_watts = measured(prices.wait_watts, source);
  PowerState& state = device.states.front();
  double sum = 0;
  double classes = 0;
  for (const auto& [name, watts] : prices.busy_watts) {
    if (name == no_class) continue;
    state.busy_watts_by_class[name] = measured(watts, source);
    sum += watts;
    ++classes;
  }
  state.busy_watts = measured(sum / classes, source);
  for (Cache& cache : device.caches) {
    const auto found = prices.joules_per_byte.find(cache.level);
    if (found != prices.joules_per_byte.end())
      cache.joules_per_byte = measured(found->second, source);
  }
}

Graph graph_of(const LoweredNetwork& network, std::size_t task) {
  Graph graph = network.graph;
  graph.tasks = {network.graph.tasks[task]};
  return graph;
}

Graph graph_of_block(std::int64_t bytes) {
  Graph graph;
  graph.tensors = {{.name = "read", .bytes = bytes / 2}, {.name = "written", .bytes = bytes / 2}};
  graph.tasks = {{.name = "pass", .reads = {TensorId{0}}, .writes = {TensorId{1}}}};
  return graph;
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
      by_class_[of_class] = {kernel_work(network.kernels[t]), graph_of(network, t)};
    }
  }
}

std::vector<PowerLoad> block_loads(const Device& device) {
  constexpr std::int64_t bytes_in_one_go = 1 << 22;
  std::vector<PowerLoad> loads;
  for (const std::int64_t bytes : block_sizes(device)) {
    const auto repeats = static_cast<int>(std::max<std::int64_t>(1, bytes_in_one_go / bytes));
    loads.push_back({block_work(bytes, repeats), graph_of_block(bytes), repeats});
  }
  return loads;
}

std::vector<PowerWindow> power_windows(const Device& device, const std::vector<int>& cores,
                                       const PowerLoads& loads, double window_seconds,
                                       EnergyMeter& meter, const std::atomic<bool>& interrupted) {
  const Metering metering{window_seconds, meter, interrupted};
  std::vector<PowerWindow> windows;
  if (const auto rest = metered({}, make_spinning, metering)) windows.push_back(rest->window);
  if (auto spinning = metered(cores, make_spinning, metering)) {
    windows.push_back(spinning->window);
    windows.back().spinning_seconds = spinning->busy_seconds;
  }
  for (const auto& [of_class, load] : loads.by_class()) {
    if (cores.size() > 1) add_window_of(of_class, load, device, {cores.front()}, metering, windows);
    add_window_of(of_class, load, device, cores, metering, windows);
  }
  // A core alone has more than its share of a cache.
  for (const PowerLoad& load : block_loads(device))
    add_window_of(no_class, load, device, cores, metering, windows);
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
    const auto windows = power_windows(device, cores, loads, window_seconds, meter, interrupted);
    if (interrupted) return false;
    const PowerPrices prices = fit_power(windows);
    if (windows.size() < 2 + loads.by_class().size() || prices.idle_watts <= 0) return false;
    price(prices, static_cast<double>(device.workers) / workers, source, device);
  }
  platform = std::move(priced);
  return true;
}

void assume_joules_beyond_caches(Platform& platform) {
  const Quantity assumed(6e-11, Basis::assumed,
                         "GDDR6, 7.5 pJ/bit (Micron); other main memories may draw more");
  for (Device& device : platform.devices) {
    const auto outermost = std::ranges::max_element(device.caches, {}, &Cache::level);
    if (outermost != device.caches.end()) outermost->joules_per_byte = assumed;
  }
}

}  // namespace stint
