#include "planner/grains/granularity.hpp"

#include <algorithm>
#include <vector>

namespace stint {

double seconds_of(const GrainCosts& costs, std::int64_t tasks) {
  std::vector<double> free(std::min(costs.workers, tasks), 0);
  for (std::int64_t i = 0; i < tasks; ++i) {
    const std::int64_t size = costs.units / tasks + (i < costs.units % tasks ? 1 : 0);
    double& worker = free[i % costs.workers];
    const double start = std::max(worker, costs.submit_seconds * static_cast<double>(i + 1));
    worker = start + costs.overhead_seconds + costs.unit_seconds * static_cast<double>(size);
  }
  return *std::max_element(free.begin(), free.end());
}

Grains best_grains(const GrainCosts& costs) {
  Grains best{1, seconds_of(costs, 1)};
  for (std::int64_t tasks = 2; tasks <= costs.units; ++tasks) {
    const double seconds = seconds_of(costs, tasks);
    if (seconds < best.seconds) best = {tasks, seconds};
  }
  return best;
}

}  // namespace stint
