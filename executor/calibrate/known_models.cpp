#include "executor/calibrate/known_models.hpp"

#include <algorithm>
#include <cmath>

namespace stint {

std::optional<double> PowerLaw::at(double size) const {
  if (!is_valid || size < least_size || size > most_size) return std::nullopt;
  return alpha * std::pow(size, beta);
}

// The letters of StarPU: beta = (n Sxy − Sx Sy) / (n Sxx − Sx²), alpha = exp((Sy − beta Sx) / n).
PowerLaw fit_power_law(const std::vector<double>& sizes, const std::vector<double>& seconds) {
  if (sizes.empty()) return {};
  const auto n = static_cast<double>(sizes.size());
  double Sx = 0;
  double Sy = 0;
  double Sxx = 0;
  double Sxy = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double x = std::log(sizes[i]);
    const double y = std::log(seconds[i]);
    Sx += x;
    Sy += y;
    Sxx += x * x;
    Sxy += x * y;
  }
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  PowerLaw law{.least_size = 0.9 * *least, .most_size = 1.1 * *most};
  law.beta = (n * Sxy - Sx * Sy) / (n * Sxx - Sx * Sx);
  law.alpha = std::exp((Sy - law.beta * Sx) / n);
  law.is_valid = sizes.size() >= 10 && *least < std::floor(9 * *most / 10);
  return law;
}

History::History(std::vector<double> sizes, std::vector<double> seconds)
    : sizes_(std::move(sizes)), seconds_(std::move(seconds)) {}

double History::at(double size) const {
  const auto distance = [&](double other) { return std::abs(std::log(other / size)); };
  double nearest = sizes_.front();
  for (const double other : sizes_) {
    if (distance(other) < distance(nearest)) nearest = other;
  }
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    if (sizes_[i] != nearest) continue;
    sum += seconds_[i];
    ++count;
  }
  return sum / count;
}

}  // namespace stint
