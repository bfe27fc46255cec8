// What a machine draws, from windows in which it is known what its workers did: idle watts, what it
// takes to have any worker busy, what each busy worker adds, by class of op, and what it takes to
// fetch a byte from beyond each cache. The prices of platforms/README.md, by non-negative least
// squares over relative errors.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace stint {

struct PowerWindow {
  double seconds = 0;
  double joules = 0;
  double active_seconds = 0;                   // with any worker busy
  double spinning_seconds = 0;                 // of workers that wait by spinning, summed up
  std::map<std::string, double> busy_seconds;  // of workers, summed up, by class of op
  std::map<int, double> missed_bytes;          // that were not in a cache, by its level
};

struct PowerPrices {
  double idle_watts = 0;
  double active_watts = 0;
  double wait_watts = 0;                     // of a spinning worker
  std::map<std::string, double> busy_watts;  // of a busy worker, by class of op
  std::map<int, double> joules_per_byte;     // that is not in a cache, by its level
};

// Counters and clocks do not agree to the last: what a level's bytes would cost is taken for
// nothing if it is less than this of every window.
inline constexpr double least_share_of_bytes = 0.01;

PowerPrices fit_power(const std::vector<PowerWindow>& windows);

double joules_of(const PowerWindow& window, const PowerPrices& prices);

}  // namespace stint
