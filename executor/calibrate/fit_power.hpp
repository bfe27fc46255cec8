// What a machine draws, from windows in which it is known what its workers did: idle watts, what it
// takes to have any worker busy, and what each busy worker adds, by class of op. The prices of
// platforms/README.md, by non-negative least squares over relative errors.
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
};

struct PowerPrices {
  double idle_watts = 0;
  double active_watts = 0;
  double wait_watts = 0;                     // of a spinning worker
  std::map<std::string, double> busy_watts;  // of a busy worker, by class of op
};

PowerPrices fit_power(const std::vector<PowerWindow>& windows);

double joules_of(const PowerWindow& window, const PowerPrices& prices);

}  // namespace stint
