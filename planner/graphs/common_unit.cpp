#include "planner/graphs/common_unit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stint {
namespace {

constexpr double last_digits = 1e-13;  // of a number, by which results of a few operations differ

// Of two multiples of something that is at least `least`: what is less is nothing.
double common_divisor(double a, double b, double least) {
  while (b > least / 2) {
    const double rest = std::abs(a - std::round(a / b) * b);
    a = b;
    b = rest;
  }
  return a;
}

bool is_whole(double value) {
  const double whole = std::round(value);
  return std::abs(value - whole) <= last_digits * std::abs(whole);
}

}  // namespace

std::optional<double> common_unit(const std::vector<double>& costs, double most_units) {
  const double sum = std::accumulate(costs.begin(), costs.end(), 0.0);
  if (!(sum > 0) || !std::isfinite(sum)) return std::nullopt;
  double unit = 0;
  for (const double cost : costs) {
    unit = common_divisor(std::max(unit, cost), std::min(unit, cost), sum / most_units);
    if (unit > 0 && unit < sum / most_units) return std::nullopt;
  }
  // Each step lost digits: as much of one as the whole is of them.
  double whole = 0;
  for (const double cost : costs) whole += std::round(cost / unit);
  unit = sum / whole;
  const bool fits =
      std::all_of(costs.begin(), costs.end(), [&](double cost) { return is_whole(cost / unit); });
  if (!fits) return std::nullopt;
  return unit;
}

std::int64_t whole_part(double value) {
  return static_cast<std::int64_t>(is_whole(value) ? std::round(value) : std::floor(value));
}

}  // namespace stint
