#include "planner/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <vector>

#include "models/graph_algorithms.hpp"
#include "planner/infinity.hpp"
#include "planner/makespan_bound.hpp"
#include "planner/memory_bound.hpp"
#include "planner/strategy.hpp"
#include "schedules/cost.hpp"

namespace stint {

namespace {

constexpr double most_prices = 3e7;  // of tasks in states, computed for one bound
constexpr int price_steps = 40;      // at finding what a second of a deadline is worth

// By device the states that tasks may run in: all that can be chosen, or the one of the run.
struct StateRange {
  int first = 0;
  int last = 0;
};
using States = std::vector<StateRange>;

States all_states(const Problem& problem) {
  States states;
  for (const Device& device : problem.platform().devices)
    states.push_back({0, choosable_states(device) - 1});
  return states;
}

// The least of cost(device, state, seconds) over everything that can run the task.
template <typename Cost>
double least(const Problem& problem, const States& states, std::size_t task, Cost cost) {
  double best = infinity;
  const auto& devices = problem.platform().devices;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    if (!std::isfinite(problem.seconds[d][task])) continue;
    for (int s = states[d].first; s <= states[d].last; ++s) {
      const PowerState& state = devices[d].states[s];
      best = std::min(best, cost(devices[d], state, problem.seconds[d][task] / state.speed));
    }
  }
  return best;
}

std::vector<double> least_seconds(const Problem& problem, const States& states) {
  std::vector<double> seconds;
  for (std::size_t t = 0; t < problem.graph().tasks.size(); ++t) {
    seconds.push_back(
        least(problem, states, t, [](const Device&, const PowerState&, double s) { return s; }));
  }
  return seconds;
}

// Every task runs at least once, and starts after the tasks whose results it reads have ended; none
// is faster than on its best device in its best state. So the step lasts as long as any path.
double critical_path_seconds(const Problem& problem, const std::vector<double>& seconds) {
  return critical_path(problem.needs, seconds).length;
}

// Workers do one thing at a time: all of them together have work for at most workers × makespan.
double work_seconds(const Problem& problem, const std::vector<double>& seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0) / all_workers(problem.platform());
}

Bound better(const Bound& a, const Bound& b) { return a.value >= b.value ? a : b; }

Bound time_bound(const Problem& problem, const States& states, const Crowding* crowding) {
  const std::vector<double> seconds = least_seconds(problem, states);
  const Bound simple = better({critical_path_seconds(problem, seconds), "critical path"},
                              {work_seconds(problem, seconds), "work"});
  const int workers = all_workers(problem.platform());
  const double both = makespan_bound(problem.needs, seconds, workers).seconds * (1 - 1e-12);
  Bound best = both > simple.value * (1 + 1e-9) ? Bound{both, "path and work"} : simple;
  if (crowding != nullptr) best = better(best, {crowding->least_seconds(seconds, 0), "crowding"});
  return best;
}

// All tasks, each as cheap as it can be.
struct Work {
  double joules = 0;
  double seconds = 0;  // of those choices
};

// Each second of a device costs, beside the busy watts of its state, its share of the device's
// active watts — paid while any worker is busy, so at least work / workers of that device — and
// `watts_per_busy_second`.
Work cheapest_work(const Problem& problem, const States& states, double watts_per_busy_second) {
  Work work;
  for (std::size_t t = 0; t < problem.graph().tasks.size(); ++t) {
    const Task& task = problem.graph().tasks[t];
    double taken = 0;
    double cheapest = infinity;
    const auto cost = [&](const Device& device, const PowerState& state, double seconds) {
      const double shared = device.active_watts / device.workers + watts_per_busy_second;
      const double joules = (busy_watts(task, state) + shared) * seconds;
      if (joules < cheapest) cheapest = joules, taken = seconds;
      return joules;
    };
    work.joules += least(problem, states, t, cost);
    work.seconds += taken;
  }
  return work;
}

// All work together takes at most workers × deadline: a price on its seconds that is paid back for
// as many as there are can only lower the sum, whatever the price (Lagrange). The best of some.
double task_joules(const Problem& problem, const States& states, double watts_per_busy_second) {
  const Work free = cheapest_work(problem, states, watts_per_busy_second);
  const auto deadline = deadline_seconds(problem.request());
  if (!deadline || free.seconds <= 0) return free.joules;
  const double most_seconds = *deadline * (1 + 1e-9) * all_workers(problem.platform());
  double best = free.joules;
  double low = 0;
  double high = 0;  // 0: not known
  double price = std::max(free.joules / free.seconds, 1e-3);
  for (int step = 0; step < price_steps && free.seconds > most_seconds; ++step) {
    const Work work = cheapest_work(problem, states, watts_per_busy_second + price);
    best = std::max(best, work.joules - price * most_seconds);
    (work.seconds > most_seconds ? low : high) = price;
    price = high == 0 ? price * 2 : (low + high) / 2;
  }
  return best;
}

// A window that the request fixes, or the least makespan.
double window_bound(const Problem& problem, const States& states) {
  const Request& request = problem.request();
  if (request.bill == Bill::deadline) return *request.deadline_seconds;
  if (request.bill == Bill::period) return request.period_seconds;
  return time_bound(problem, states, nullptr).value;
}

Bound energy_bound(const Problem& problem, const States& states, const Crowding* crowding) {
  const double watts = always_on_watts(problem.platform());
  // What is always on costs its watts for the whole window, whoever computes what.
  const double joules = task_joules(problem, states, 0);
  Bound apart{joules + watts * window_bound(problem, states), "least joules"};
  if (problem.request().bill != Bill::makespan) return apart;
  if (crowding != nullptr && watts > 0) {
    const double seconds = crowding->least_seconds(least_seconds(problem, states), watts);
    apart = better(apart, {joules + watts * seconds, "crowding"});
  }
  // The makespan is at least work / workers, so each busy second also brings its share of what is
  // always on: this weighs fast states against frugal ones task by task.
  return better(apart, {task_joules(problem, states, watts / all_workers(problem.platform())),
                        "shared joules"});
}

// Of a run all actions have one state.
bool has_one_state(const Device& device) {
  return device.settable == Settable::run &&
         (device.state_scope == StateScope::device || device.workers == 1);
}

// Where states are for the run: each combination has a bound of its own, and the least counts.
// Nothing if there are too many, or none of them is in time.
std::optional<Bound> bound_of_runs(const Problem& problem, const Crowding* crowding) {
  const auto& devices = problem.platform().devices;
  const States all = all_states(problem);
  double prices = static_cast<double>(problem.graph().tasks.size()) * price_steps;
  for (std::size_t d = 0; d < all.size(); ++d)
    prices *= has_one_state(devices[d]) ? all[d].last + 1 : 1;
  if (prices > most_prices) return std::nullopt;
  std::optional<Bound> least;
  States states = all;
  const std::function<void(std::size_t)> visit = [&](std::size_t d) {
    if (d == all.size()) {
      const double least_time = time_bound(problem, states, nullptr).value;
      if (!meets(least_time, deadline_seconds(problem.request()))) return;
      const Bound bound = energy_bound(problem, states, crowding);
      if (!least || bound.value < least->value) least = bound;
      return;
    }
    if (!has_one_state(devices[d])) return visit(d + 1);
    for (int s = all[d].first; s <= all[d].last; ++s) states[d] = {s, s}, visit(d + 1);
  };
  visit(0);
  return least;
}

Bound energy_bound(const Problem& problem, const Crowding* crowding) {
  const auto of_runs = bound_of_runs(problem, crowding);
  return of_runs ? *of_runs : energy_bound(problem, all_states(problem), crowding);
}

}  // namespace

Bound time_bound(const Problem& problem) {
  return time_bound(problem, all_states(problem), nullptr);
}

Bound energy_bound(const Problem& problem) { return energy_bound(problem, nullptr); }

Bound objective_bound(const Problem& problem, const Crowding* crowding) {
  switch (problem.request().objective) {
    case Objective::time:
      return time_bound(problem, all_states(problem), crowding);
    case Objective::edp: {
      const Bound energy = energy_bound(problem, crowding);
      const Bound time = time_bound(problem, all_states(problem), crowding);
      return {energy.value * time.value, energy.by + " × " + time.by};
    }
    case Objective::memory:
      return {static_cast<double>(least_memory(problem)), "largest task"};
    case Objective::energy:
      break;
  }
  return energy_bound(problem, crowding);
}

}  // namespace stint
