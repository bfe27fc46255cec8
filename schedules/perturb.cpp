#include "schedules/perturb.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <utility>

#include "files/input_error.hpp"
#include "schedules/cache_traffic.hpp"
#include "schedules/clock.hpp"
#include "schedules/cost.hpp"
#include "schedules/critical_path.hpp"
#include "schedules/describe.hpp"
#include "schedules/reordered.hpp"
#include "schedules/share.hpp"

namespace stint {
namespace {

// A schedule whose tasks' times can be set: they are stated, and hold what an op's own model says
// of misses in caches beside what stated times are charged.
class ElasticSchedule {
 public:
  ElasticSchedule(const Schedule& schedule, const std::vector<Worker>& workers, const Lanes& lanes)
      : schedule_(schedule) {
    const TaskTimes times(schedule.platform);
    const std::vector<double> priced = cache_costs(schedule, workers, lanes, times).seconds;
    const std::vector<double> charged = cache_seconds_if_stated(schedule, workers, lanes);
    std::map<std::pair<TaskId, int>, Executions> used;  // task and device
    for (std::size_t i = 0; i < schedule.actions.size(); ++i) {
      const Action& action = schedule.actions[i];
      if (action.what != Do::compute) continue;
      const DeviceId device{workers[action.worker].device};
      const double own =
          times.seconds_at_speed_1(schedule.graph.tasks[action.task], device).value_or(0);
      Executions& executions = used[{action.task, device}];
      executions.seconds += std::max(0.0, priced.empty() ? own : own + (priced[i] - charged[i]));
      executions.count += 1;
    }
    for (Task& task : schedule_.graph.tasks) task.seconds.clear();
    for (const auto& [key, executions] : used) {
      const auto& [task, device] = key;
      Quantity& place =
          schedule_.graph.tasks[task].seconds[device_name(schedule.platform, DeviceId{device})];
      places_.push_back({task, executions.seconds / executions.count, &place});
    }
  }

  // By task.
  const Schedule& stretched(const std::vector<double>& factors) {
    for (const Place& place : places_) place.where->value = place.seconds * factors[place.task];
    return schedule_;
  }

 private:
  struct Executions {
    double seconds = 0;
    double count = 0;
  };
  struct Place {
    TaskId task;
    double seconds;  // without errors
    Quantity* where;
  };
  Schedule schedule_;
  std::vector<Place> places_;
};

// The same on every machine, unlike the distributions of the standard library.
std::vector<double> random_factors(std::size_t tasks, double error, std::mt19937_64& random) {
  std::vector<double> factors;
  for (std::size_t i = 0; i < tasks; ++i) {
    const double u = std::ldexp(static_cast<double>(random() >> 11U), -52) - 1;
    factors.push_back(std::pow(1 + error, u));
  }
  return factors;
}

double quantile(const std::vector<double>& sorted, double share) {
  const auto last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(std::lround(share * last))];
}

Distribution distribution(std::vector<double> samples, double planned, double all_longest) {
  double sum = 0;
  for (const double sample : samples) sum += sample;
  const double mean = sum / static_cast<double>(samples.size());
  std::sort(samples.begin(), samples.end());
  return {.planned = planned,
          .least = samples.front(),
          .low = quantile(samples, 0.05),
          .median = quantile(samples, 0.5),
          .high = quantile(samples, 0.95),
          .greatest = samples.back(),
          .mean = mean,
          .all_longest = all_longest};
}

// What one set of times leads to.
struct Sample {
  double seconds = 0;
  double joules = 0;
  double gain = 0;
  double gain_bound = 0;
};

class Perturber {
 public:
  Perturber(const Schedule& schedule, const PerturbOptions& options)
      : schedule_(schedule),
        options_(options),
        workers_(workers(schedule.platform)),
        order_(order(schedule, static_cast<int>(workers_.size()))),
        elastic_(schedule, workers_, order_.lanes),
        reordered_(schedule, workers_, order_),
        times_critical_(schedule.actions.size(), 0) {}

  Perturbation run() {
    const std::size_t tasks = schedule_.graph.tasks.size();
    const Sample planned = sampled(std::vector<double>(tasks, 1), false);
    const Sample longest = sampled(std::vector<double>(tasks, 1 + options_.error), false);
    std::mt19937_64 random(static_cast<std::uint64_t>(options_.seed));
    std::vector<Sample> samples;
    for (std::int64_t i = 0; i < options_.samples; ++i) {
      samples.push_back(sampled(random_factors(tasks, options_.error, random), true));
    }
    const auto over = [&](double Sample::*value) {
      std::vector<double> values;
      for (const Sample& sample : samples) values.push_back(sample.*value);
      return distribution(std::move(values), planned.*value, longest.*value);
    };
    return {.options = options_,
            .seconds = over(&Sample::seconds),
            .joules = over(&Sample::joules),
            .late = late(samples),
            .critical = critical_actions(),
            .gain = over(&Sample::gain),
            .gain_bound = over(&Sample::gain_bound)};
  }

 private:
  Sample sampled(const std::vector<double>& factors, bool is_sample) {
    const Simulation step = simulate(elastic_.stretched(factors), workers_, order_);
    if (is_sample) count_critical(step);
    if (planned_seconds_.empty()) planned_seconds_ = step.seconds;
    const double makespan = step.makespan_seconds;
    const auto gained = [&](double seconds) {
      return makespan > 0 ? std::max(0.0, 1 - seconds / makespan) : 0;
    };
    return {makespan, step.joules_by.total(), gained(reordered_.list_makespan(step.seconds)),
            gained(reordered_.lower_bound(step.seconds))};
  }

  void count_critical(const Simulation& step) {
    for (const ActionId id : critical_path(schedule_, workers_, order_.lanes, step)) {
      ++times_critical_[id];
    }
  }

  std::optional<double> late(const std::vector<Sample>& samples) const {
    const auto deadline = schedule_.request.deadline_seconds;
    if (!deadline) return std::nullopt;
    const auto count = std::count_if(samples.begin(), samples.end(), [&](const Sample& sample) {
      return sample.seconds > *deadline;
    });
    return static_cast<double>(count) / static_cast<double>(samples.size());
  }

  std::vector<CriticalAction> critical_actions() const {
    std::vector<CriticalAction> list;
    for (std::size_t i = 0; i < times_critical_.size(); ++i) {
      if (times_critical_[i] == 0 || planned_seconds_[i] == 0) continue;
      const Action& action = schedule_.actions[i];
      list.push_back({.id = action.id,
                      .name = label(schedule_, action),
                      .worker = workers_[action.worker].name,
                      .seconds = planned_seconds_[i],
                      .share = static_cast<double>(times_critical_[i]) /
                               static_cast<double>(options_.samples)});
    }
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
      return std::pair(a.share, a.seconds) > std::pair(b.share, b.seconds);
    });
    return list;
  }

  const Schedule& schedule_;
  PerturbOptions options_;
  std::vector<Worker> workers_;
  Order order_;
  ElasticSchedule elastic_;
  Reordered reordered_;
  std::vector<double> planned_seconds_;       // by action
  std::vector<std::int64_t> times_critical_;  // by action
};

}  // namespace

Perturbation perturb(const Schedule& schedule, const PerturbOptions& options) {
  return Perturber(schedule, options).run();
}

double error_of(const std::string& text) {
  const double share = share_of(text, "--perturb");
  if (share > 0 && share <= 10) return share;
  throw InputError("--perturb " + text,
                   "no error to expect; expected more than 0 and at most 1000%");
}

}  // namespace stint
