#include "executor/calibrate/fit_time_model.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "executor/calibrate/nnls.hpp"
#include "schedules/cache_traffic.hpp"
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
  // Weights are packed for every task; where there are enough tasks to tell.
  const bool has_weights = names.contains("parameters") && seen.size() > 10 * knots.size();
  for (const std::int64_t knot : knots) {
    units.push_back({.knots = {{"bytes", {{knot, 1.0}}}}});
    if (has_weights && knot >= bytes_of(Element::f32))
      units.push_back({.knots = {{"parameters", {{knot / bytes_of(Element::f32), 1.0}}}}});
  }
  return units;
}

using Columns = std::vector<std::vector<double>>;

// What a row asks for in the next round, where it is said to be `predicted` times what it is. The
// error |p − 1| / √p is |ln p|, nearly: twice as much is as wrong as half.
double weight_of(double predicted) {
  constexpr double close_enough = 0.02;
  const double root = std::sqrt(std::max(predicted, 1e-6));
  const double error = std::abs(predicted - 1) / root;
  return 1 / (root * std::sqrt(std::max(error, close_enough)));
}

// The prices that make the sum of errors of all rows, whose target is 1, nearly least: least
// squares again and again, rows divided by the root of what they were off by (Schlossmacher 1973).
std::vector<double> least_absolute(const Columns& columns) {
  constexpr int rounds = 20;
  const std::size_t rows = columns.front().size();
  std::vector<double> weights(rows, 1);
  std::vector<double> prices;
  for (int round = 0; round < rounds; ++round) {
    Columns weighted = columns;
    for (auto& column : weighted) {
      for (std::size_t i = 0; i < rows; ++i) column[i] *= weights[i];
    }
    prices = non_negative_least_squares(weighted, weights);
    for (std::size_t i = 0; i < rows; ++i) {
      double predicted = 0;
      for (std::size_t j = 0; j < columns.size(); ++j) predicted += columns[j][i] * prices[j];
      weights[i] = weight_of(predicted);
    }
  }
  return prices;
}

Quantity price(double seconds) { return {seconds, Basis::calibrated, ""}; }

void add(const TimeModel& unit, double seconds, TimeModel& model) {
  for (const auto& [name, one] : unit.terms) model.terms[name] = price(seconds);
  for (const auto& [name, hinges] : unit.knots) {
    for (const auto& [knot, one] : hinges) model.knots[name][knot] = price(seconds);
  }
}

// Kept even where it is nothing: a model that has such terms is not priced by those of all ops.
bool is_of_caches(const TimeModel& unit) {
  return std::any_of(unit.terms.begin(), unit.terms.end(),
                     [](const auto& term) { return is_cache_term(term.first); });
}

}  // namespace

std::vector<std::int64_t> cache_knots(const std::vector<Cache>& caches) {
  std::set<std::int64_t> knots;
  for (const Cache& cache : caches) {
    const std::int64_t share = cache.bytes / std::max(cache.shared_by, 1);
    knots.insert({share / 2, share, 2 * share, cache.bytes});
  }
  knots.erase(0);
  return {knots.begin(), knots.end()};
}

TimeModel fit_time_model(const std::vector<Observation>& seen,
                         const std::vector<std::int64_t>& knots) {
  const std::vector<TimeModel> units = unit_models(seen, knots);
  Columns columns(units.size());
  for (const Observation& one : seen) {
    if (one.held_out) continue;
    for (std::size_t j = 0; j < units.size(); ++j)
      columns[j].push_back(modelled_seconds(one.task, units[j]) / one.seconds);
  }
  const std::vector<double> prices = least_absolute(columns);
  TimeModel model;
  for (std::size_t j = 0; j < units.size(); ++j) {
    if (prices[j] > 0 || is_of_caches(units[j])) add(units[j], prices[j], model);
  }
  return model;
}

}  // namespace stint
