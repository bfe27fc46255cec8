// What this machine draws at rest, while workers wait by spinning, while one of them or all run the
// kernels of each class of ops, and while all pass over blocks that stay in one cache or in none:
// windows of a meter, and the prices that follow from them. Blocks of different sizes are the same
// work but for the bytes that come from beyond each cache.
//
// Only what counters cover: what a node's board and fans draw stays assumed. Other programs should
// be at rest; what they draw is taken for the machine's own.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "executor/calibrate/busy_cores.hpp"
#include "executor/calibrate/fit_power.hpp"
#include "models/training/lower_network.hpp"
#include "platforms/meters/energy_meter.hpp"
#include "platforms/platform.hpp"

namespace stint {

// What a worker does again and again while a window lasts.
struct PowerLoad {
  MakeWork make_work;
  Graph graph;      // of one task, by which it is known what of it is in a cache
  int repeats = 1;  // of that task in one go
};

// Work for every class of ops (schedules/cost.hpp): of each the task with the most flops.
class PowerLoads {
 public:
  explicit PowerLoads(std::vector<LoweredNetwork> networks);
  const std::map<std::string, PowerLoad>& by_class() const { return by_class_; }

 private:
  std::vector<LoweredNetwork> networks_;
  std::map<std::string, PowerLoad> by_class_;
};

// Passes over blocks, within each of the device's caches and beyond all of them.
std::vector<PowerLoad> block_loads(const Device& device);

// Windows in which these cores of the device rest, spin and work. A window in which a counter
// failed is left out, and so is what would come after an interruption.
std::vector<PowerWindow> power_windows(const Device& device, const std::vector<int>& cores,
                                       const PowerLoads& loads, double window_seconds,
                                       EnergyMeter& meter, const std::atomic<bool>& interrupted);

// Prices every device by windows over its own workers, which share what the machine draws at rest.
// False, and nothing is changed, if the counters gave too little, or when interrupted.
bool measure_power(const PowerLoads& loads, double window_seconds, const std::string& source,
                   EnergyMeter& meter, const std::atomic<bool>& interrupted, Platform& platform);

// Where no counter says so: joules for a byte that is in none of a processor's caches, assumed.
void assume_joules_beyond_caches(Platform& platform);

}  // namespace stint
