#include "executor/calibrate/fit_time_model.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "executor/calibrate/nnls.hpp"
#include "schedules/cost.hpp"

namespace stint {
namespace {

// Models with one price each, of one second a unit: the columns of the fit are what they say.
std::vector<TimeModel> unit_models(const std::vector<Observation>& seen,
                                   const std::vector<std::int64_t>& knots) {
  std::set<std::string> names = {"constant", "flops", "bytes"};
  for (const Observation& one : seen) {
    for (const auto& [name, value] : one.task.features) names.insert(name);
  }
  std::vector<TimeModel> units;
  for (const std::string& name : names) units.push_back({.terms = {{name, 1.0}}});
  for (const std::int64_t knot : knots) units.push_back({.knots = {{"bytes", {{knot, 1.0}}}}});
  return units;
}

Quantity price(double seconds) { return {seconds, Basis::calibrated, ""}; }

void add(const TimeModel& unit, double seconds, TimeModel& model) {
  for (const auto& [name, one] : unit.terms) model.terms[name] = price(seconds);
  for (const auto& [name, hinges] : unit.knots) {
    for (const auto& [knot, one] : hinges) model.knots[name][knot] = price(seconds);
  }
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::vector<std::int64_t> cache_knots(const std::vector<Cache>& caches) {
  std::set<std::int64_t> knots;
  for (const Cache& cache : caches) {
    knots.insert(cache.bytes);
    knots.insert(cache.bytes / std::max(cache.shared_by, 1));
  }
  knots.erase(0);
  return {knots.begin(), knots.end()};
}

TimeModel fit_time_model(const std::vector<Observation>& seen,
                         const std::vector<std::int64_t>& knots) {
  const std::vector<TimeModel> units = unit_models(seen, knots);
  std::vector<std::vector<double>> columns(units.size());
  std::vector<double> ones;
  for (const Observation& one : seen) {
    if (one.held_out) continue;
    ones.push_back(1);
    for (std::size_t j = 0; j < units.size(); ++j)
      columns[j].push_back(modelled_seconds(one.task, units[j]) / one.seconds);
  }
  const std::vector<double> prices = non_negative_least_squares(columns, ones);
  TimeModel model;
  for (std::size_t j = 0; j < units.size(); ++j) {
    if (prices[j] > 0) add(units[j], prices[j], model);
  }
  return model;
}

}  // namespace stint
