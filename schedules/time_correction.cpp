#include "schedules/time_correction.hpp"

#include <cmath>

namespace stint {

double task_feature(const Task& task, const std::string& name) {
  if (name == "constant") return 1;
  if (name == "flops") return task.flops;
  if (name == "bytes") return task.bytes_moved;
  const auto found = task.features.find(name);
  return found == task.features.end() ? 0 : found->second;
}

double correction_factor(const Task& task, const TimeCorrection& correction) {
  if (correction.points.empty()) return 1;
  std::vector<double> u;
  for (const std::string& feature : correction.features)
    u.push_back(std::log1p(task_feature(task, feature)));
  double weights = correction.caution;
  double factors = correction.caution;
  for (const auto& [at, tasks, factor] : correction.points) {
    double distance = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      const double widths_apart = (u[i] - at[i]) / correction.widths[i];
      distance += widths_apart * widths_apart;
    }
    const double weight = tasks * std::exp(-distance / 2);
    weights += weight;
    factors += weight * factor;
  }
  return factors / weights;
}

}  // namespace stint
