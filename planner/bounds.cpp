#include "planner/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "models/graph_algorithms.hpp"
#include "planner/makespan_bound.hpp"
#include "planner/memory_bound.hpp"
#include "schedules/cost.hpp"

namespace stint {

namespace {

// The least of cost(device, state, seconds) over everything that can run the task.
template <typename Cost>
double least(const Problem& problem, std::size_t task, Cost cost) {
  double best = std::numeric_limits<double>::infinity();
  const auto& devices = problem.platform().devices;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    if (!std::isfinite(problem.seconds[d][task])) continue;
    for (int s = 0; s < choosable_states(devices[d]); ++s) {
      const PowerState& state = devices[d].states[s];
      best = std::min(best, cost(devices[d], state, problem.seconds[d][task] / state.speed));
    }
  }
  return best;
}

std::vector<double> least_seconds(const Problem& problem) {
  std::vector<double> seconds;
  for (std::size_t t = 0; t < problem.graph().tasks.size(); ++t) {
    seconds.push_back(
        least(problem, t, [](const Device&, const PowerState&, double s) { return s; }));
  }
  return seconds;
}

double compute_workers(const Problem& problem) {
  double count = 0;
  for (const Device& device : problem.platform().devices) count += device.workers;
  return count;
}

// Every task runs at least once, and starts after the tasks whose results it reads have ended; none
// is faster than on its best device in its best state. So the step lasts as long as any path.
double critical_path_seconds(const Problem& problem, const std::vector<double>& seconds) {
  return critical_path(problem.needs, seconds).length;
}

// Workers do one thing at a time: all of them together have work for at most workers × makespan.
double work_seconds(const Problem& problem, const std::vector<double>& seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0) / compute_workers(problem);
}

// Joules of all tasks where each second of a device costs, beside the busy watts of its state, its
// share of the device's active watts — paid while any worker is busy, so at least work / workers of
// that device — and `watts_per_busy_second`.
double task_joules(const Problem& problem, double watts_per_busy_second) {
  double joules = 0;
  for (std::size_t t = 0; t < problem.graph().tasks.size(); ++t) {
    const Task& task = problem.graph().tasks[t];
    joules += least(problem, t, [&](const Device& device, const PowerState& state, double seconds) {
      const double shared = device.active_watts / device.workers + watts_per_busy_second;
      return (busy_watts(task, state) + shared) * seconds;
    });
  }
  return joules;
}

// A window that the request fixes, or the least makespan.
double window_bound(const Problem& problem) {
  const Request& request = problem.request();
  if (request.bill == Bill::deadline) return *request.deadline_seconds;
  if (request.bill == Bill::period) return request.period_seconds;
  return time_bound(problem).value;
}

Bound better(const Bound& a, const Bound& b) { return a.value >= b.value ? a : b; }

}  // namespace

Bound time_bound(const Problem& problem) {
  const std::vector<double> seconds = least_seconds(problem);
  const Bound simple = better({critical_path_seconds(problem, seconds), "critical path"},
                              {work_seconds(problem, seconds), "work"});
  const double workers = compute_workers(problem);
  const double both = makespan_bound(problem.needs, seconds, workers).seconds * (1 - 1e-12);
  return both > simple.value * (1 + 1e-9) ? Bound{both, "path and work"} : simple;
}

Bound energy_bound(const Problem& problem) {
  const double watts = always_on_watts(problem.platform());
  // What is always on costs its watts for the whole window, whoever computes what.
  const Bound apart{task_joules(problem, 0) + watts * window_bound(problem), "least joules"};
  if (problem.request().bill != Bill::makespan) return apart;
  // The makespan is at least work / workers, so each busy second also brings its share of what is
  // always on: this weighs fast states against frugal ones task by task.
  return better(apart, {task_joules(problem, watts / compute_workers(problem)), "shared joules"});
}

Bound objective_bound(const Problem& problem) {
  switch (problem.request().objective) {
    case Objective::time:
      return time_bound(problem);
    case Objective::edp: {
      const Bound energy = energy_bound(problem);
      const Bound time = time_bound(problem);
      return {energy.value * time.value, energy.by + " × " + time.by};
    }
    case Objective::memory:
      return {static_cast<double>(least_memory(problem)), "largest task"};
    case Objective::energy:
      break;
  }
  return energy_bound(problem);
}

}  // namespace stint
