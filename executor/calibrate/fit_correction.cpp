#include "executor/calibrate/fit_correction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>

#include "schedules/cache_traffic.hpp"
#include "schedules/cost.hpp"
#include "schedules/time_correction.hpp"

namespace stint {
namespace {

constexpr std::size_t fewest_tasks = 20;
constexpr std::size_t most_points = 32;
constexpr double most_factor = 3;  // and at least a third: what a file may say
constexpr double small_error = 0.005;
// Of the spread of each feature, and in tasks.
constexpr std::array tried_widths = {0.2, 0.3, 0.5, 0.8, 1.3};
constexpr std::array tried_cautions = {0.1, 0.3, 1.0, 3.0, 10.0};

// For short files, and so that what is judged is what is written.
double rounded(double value) { return std::round(value * 1000) / 1000; }

using Coordinates = std::vector<double>;  // by feature

struct TaskResidual {
  Coordinates at;  // ln(1 + x)
  double log_factor = 0;
  std::size_t network = 0;  // counted from 0
};

struct TaskResiduals {
  std::vector<std::string> features;
  std::vector<TaskResidual> tasks;
  std::size_t networks = 0;
};

// What tasks are; what stands in caches when they begin is not known to a correction.
std::set<std::string> features_of(const std::vector<Observation>& seen) {
  std::set<std::string> names = {"bytes", "flops"};
  for (const Observation& one : seen) {
    for (const auto& [name, value] : one.task.features) {
      if (!is_cache_term(name)) names.insert(name);
    }
  }
  return names;
}

TaskResiduals measured(const std::vector<Observation>& seen, const TimeModel& model) {
  TaskResiduals all;
  const std::set<std::string> names = features_of(seen);
  all.features.assign(names.begin(), names.end());
  std::map<std::size_t, std::size_t> networks;
  for (const Observation& one : seen) {
    if (one.held_out) continue;
    TaskResidual task;
    for (const std::string& name : all.features)
      task.at.push_back(rounded(std::log1p(task_feature(one.task, name))));
    const double most = std::log(most_factor);
    task.log_factor =
        std::clamp(std::log(one.seconds / modelled_seconds(one.task, model)), -most, most);
    task.network = networks.try_emplace(one.step, networks.size()).first->second;
    all.tasks.push_back(std::move(task));
  }
  all.networks = networks.size();
  return all;
}

// One feature over all tasks: deviations from its mean, and their root mean square.
struct FeatureSpread {
  std::vector<double> deviations;
  double width = 0;
};

FeatureSpread spread_of(const TaskResiduals& all, std::size_t feature) {
  const auto count = static_cast<double>(all.tasks.size());
  double mean = 0;
  for (const TaskResidual& task : all.tasks) mean += task.at[feature] / count;
  FeatureSpread spread;
  double squares = 0;
  for (const TaskResidual& task : all.tasks) {
    spread.deviations.push_back(task.at[feature] - mean);
    squares += spread.deviations.back() * spread.deviations.back();
  }
  spread.width = std::sqrt(squares / count);
  return spread;
}

bool tells_the_same(const FeatureSpread& a, const FeatureSpread& b) {
  constexpr double as_good_as_one = 0.999;
  double products = 0;
  for (std::size_t i = 0; i < a.deviations.size(); ++i)
    products += a.deviations[i] * b.deviations[i];
  const auto count = static_cast<double>(a.deviations.size());
  return std::abs(products) > as_good_as_one * count * a.width * b.width;
}

// Keeps the features that differ between tasks, and each of those that go together once. Returns
// their spreads.
std::vector<double> keep_telling_features(TaskResiduals& all) {
  constexpr double least_spread = 1e-3;
  std::vector<FeatureSpread> kept;
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < all.features.size(); ++i) {
    FeatureSpread spread = spread_of(all, i);
    const auto is_known = [&](const FeatureSpread& other) { return tells_the_same(spread, other); };
    if (spread.width < least_spread || std::ranges::any_of(kept, is_known)) continue;
    kept.push_back(std::move(spread));
    which.push_back(i);
  }
  std::vector<std::string> names;
  for (const std::size_t i : which) names.push_back(all.features[i]);
  all.features = std::move(names);
  for (TaskResidual& task : all.tasks) {
    Coordinates at;
    for (const std::size_t i : which) at.push_back(task.at[i]);
    task.at = std::move(at);
  }
  std::vector<double> widths;
  for (const FeatureSpread& spread : kept) widths.push_back(spread.width);
  return widths;
}

double distance(const Coordinates& a, const Coordinates& b, const std::vector<double>& spreads) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += (a[i] - b[i]) / spreads[i] * ((a[i] - b[i]) / spreads[i]);
  return sum / static_cast<double>(a.size());
}

// Points among the tasks, the nearest of them to each task, and how far all of them are.
struct FarPoints {
  std::vector<std::size_t> tasks;              // by point
  std::vector<std::size_t> of_task;            // by task
  std::vector<std::vector<double>> distances;  // by point, by task
};

// The farthest from all others, one after the other.
FarPoints far_apart(const TaskResiduals& all, const std::vector<double>& spreads) {
  FarPoints points;
  points.of_task.assign(all.tasks.size(), 0);
  std::vector<double> nearest(all.tasks.size(), std::numeric_limits<double>::infinity());
  std::size_t next = 0;
  while (points.tasks.size() < most_points && nearest[next] > 0) {
    std::vector<double>& distances = points.distances.emplace_back();
    for (std::size_t t = 0; t < all.tasks.size(); ++t) {
      distances.push_back(distance(all.tasks[t].at, all.tasks[next].at, spreads));
      if (distances[t] >= nearest[t]) continue;
      nearest[t] = distances[t];
      points.of_task[t] = points.tasks.size();
    }
    points.tasks.push_back(next);
    next = static_cast<std::size_t>(std::ranges::max_element(nearest) - nearest.begin());
  }
  return points;
}

// What the tasks of one point ask for.
struct AskedFactor {
  double tasks = 0;
  double log_factors = 0;
  double factor() const { return tasks > 0 ? std::exp(log_factors / tasks) : 1; }
};

class Correcting {
 public:
  Correcting(const TaskResiduals& all, std::vector<double> spreads)
      : all_(all),
        spreads_(std::move(spreads)),
        points_(far_apart(all, spreads_)),
        asked_(points_.tasks.size()),
        of_network_(all.networks, asked_) {
    for (std::size_t t = 0; t < all.tasks.size(); ++t) {
      const std::size_t point = points_.of_task[t];
      for (AskedFactor* asked : {&asked_[point], &of_network_[all.tasks[t].network][point]}) {
        asked->tasks += 1;
        asked->log_factors += all.tasks[t].log_factor;
      }
    }
  }

  // Nothing if the model needs none, or if none helps for sure.
  std::optional<TimeCorrection> best() const {
    const std::vector<double> bare = errors_without();
    double least = sum_of(bare);
    if (least < small_error * static_cast<double>(all_.tasks.size())) return std::nullopt;
    std::optional<TimeCorrection> found;
    for (const double width : tried_widths) {
      const std::vector<std::vector<double>> errors = errors_on_others(width);
      for (std::size_t i = 0; i < errors.size(); ++i) {
        if (sum_of(errors[i]) >= least) continue;
        least = sum_of(errors[i]);
        found = std::nullopt;
        if (helps_for_sure(bare, errors[i])) found = correction(width, tried_cautions[i]);
      }
    }
    return found;
  }

 private:
  static double sum_of(const std::vector<double>& errors) {
    return std::accumulate(errors.begin(), errors.end(), 0.0);
  }

  // By network: the sum over its tasks.
  std::vector<double> errors_without() const {
    std::vector<double> errors(all_.networks, 0);
    for (const TaskResidual& task : all_.tasks) errors[task.network] += std::abs(task.log_factor);
    return errors;
  }

  // By more than the standard error of what networks gain.
  static bool helps_for_sure(const std::vector<double>& bare, const std::vector<double>& errors) {
    double gain = 0;
    double squares = 0;
    for (std::size_t n = 0; n < bare.size(); ++n) {
      gain += bare[n] - errors[n];
      squares += (bare[n] - errors[n]) * (bare[n] - errors[n]);
    }
    return gain > std::sqrt(squares - gain * gain / static_cast<double>(bare.size()));
  }

  // By caution, by network: where every task is corrected by what all networks but its own ask for.
  std::vector<std::vector<double>> errors_on_others(double width) const {
    std::vector<std::vector<double>> errors(tried_cautions.size(),
                                            std::vector<double>(all_.networks, 0));
    for (std::size_t t = 0; t < all_.tasks.size(); ++t) {
      const TaskResidual& task = all_.tasks[t];
      double weights = 0;
      double factors = 0;
      for (std::size_t p = 0; p < asked_.size(); ++p) {
        const AskedFactor& own = of_network_[task.network][p];
        const AskedFactor others{asked_[p].tasks - own.tasks,
                                 asked_[p].log_factors - own.log_factors};
        const double weight =
            others.tasks * std::exp(-points_.distances[p][t] / (2 * width * width));
        weights += weight;
        factors += weight * others.factor();
      }
      for (std::size_t i = 0; i < errors.size(); ++i) {
        const double factor = (tried_cautions[i] + factors) / (tried_cautions[i] + weights);
        errors[i][task.network] += std::abs(task.log_factor - std::log(factor));
      }
    }
    return errors;
  }

  TimeCorrection correction(double width, double caution) const {
    TimeCorrection made{.features = all_.features, .caution = caution};
    const double features = std::sqrt(static_cast<double>(spreads_.size()));
    for (const double spread : spreads_)
      made.widths.push_back(std::max(rounded(width * features * spread), 1e-3));
    for (std::size_t p = 0; p < asked_.size(); ++p) {
      const double factor = rounded(asked_[p].factor());
      made.points.push_back({.at = all_.tasks[points_.tasks[p]].at,
                             .tasks = asked_[p].tasks,
                             .factor = std::clamp(factor, 1 / most_factor, most_factor)});
    }
    return made;
  }

  const TaskResiduals& all_;
  std::vector<double> spreads_;  // by feature
  FarPoints points_;
  std::vector<AskedFactor> asked_;                    // by point
  std::vector<std::vector<AskedFactor>> of_network_;  // by network, by point
};

}  // namespace

TimeCorrection fit_correction(const std::vector<Observation>& seen, const TimeModel& model) {
  TaskResiduals all = measured(seen, model);
  if (all.tasks.size() < fewest_tasks) return {};
  std::vector<double> spreads = keep_telling_features(all);
  if (spreads.empty()) return {};
  return Correcting(all, std::move(spreads)).best().value_or(TimeCorrection{});
}

}  // namespace stint
