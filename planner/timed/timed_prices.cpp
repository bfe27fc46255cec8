#include "planner/timed/timed_prices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "planner/chains/chain_costs.hpp"
#include "planner/strategy.hpp"
#include "schedules/cost.hpp"

namespace stint {
namespace {

constexpr double most_units = 1e15;

std::int64_t rounded_down(double units) {
  return static_cast<std::int64_t>(std::clamp(units * (1 - 1e-14), 0.0, most_units));
}

class Pricing {
 public:
  Pricing(const Problem& problem, const DeviceGraph& graph)
      : problem_(problem),
        graph_(graph),
        device_(problem.platform().devices[graph.device]),
        is_for_time_(problem.request().objective == Objective::time) {}

  std::optional<TimedPrices> prices(double seconds, double units) {
    const Request& request = problem_.request();
    if (request.objective != Objective::energy && !is_for_time_) return std::nullopt;
    const double always = request.bill == Bill::makespan ? always_on_watts(problem_.platform()) : 0;
    const double second_cost = is_for_time_ ? 1 : always;
    const auto deadline = deadline_seconds(request);
    if (!(seconds > 0) || (second_cost <= 0 && !deadline)) return std::nullopt;
    prices_.unit_seconds = seconds / units;
    prices_.time_cost = second_cost > 0 ? 1 : 0;
    prices_.base = is_for_time_ ? 0 : fixed_joules(problem_);
    for (int t = 0; t < graph_.problem_tasks; ++t) prices_.base += least_joules(t);
    prices_.unit_cost = second_cost > 0 ? second_cost * prices_.unit_seconds
                                        : std::max(prices_.base, 1e-300) / units;
    if (deadline) prices_.deadline = units_of_time(*deadline * (1 + 1e-9)) + 1;
    for (int t = 0; t < graph_.problem_tasks; ++t) add_task(t);
    if (can_move()) add_copies();
    return prices_;
  }

 private:
  std::int64_t units_of_time(double seconds) const {
    return rounded_down(seconds / prices_.unit_seconds);
  }
  std::int64_t units_of_cost(double joules) const {
    return is_for_time_ ? 0 : rounded_down(joules / prices_.unit_cost);
  }

  double seconds(int task, int state) const {
    return problem_.seconds[graph_.device][task] / device_.states[state].speed;
  }
  // What is on while any worker is busy costs each of them at least its share.
  double joules(int task, int state) const {
    const double watts = busy_watts(problem_.graph().tasks[task], device_.states[state]) +
                         device_.active_watts / device_.workers;
    return is_for_time_ ? 0 : watts * seconds(task, state);
  }
  double least_joules(int task) const {
    double least = std::numeric_limits<double>::infinity();
    for (int s = 0; s < choosable_states(device_); ++s) least = std::min(least, joules(task, s));
    return least;
  }

  void add_task(int task) {
    const double least = least_joules(task);
    std::vector<TimedWay> ways;
    for (int s = 0; s < choosable_states(device_); ++s)
      ways.push_back({s, units_of_time(seconds(task, s)), units_of_cost(joules(task, s) - least)});
    prices_.ways.push_back(std::move(ways));
    prices_.least_cost.push_back(units_of_cost(least));
  }

  bool can_move() const {
    const auto& links = problem_.platform().links;
    const auto leads = [&](auto end) {
      return std::any_of(links.begin(), links.end(),
                         [&](const Link& link) { return link.*end == graph_.memory; });
    };
    return problem_.request().offload && leads(&Link::from) && leads(&Link::to);
  }

  void add_copies() {
    for (const Tensor& tensor : problem_.graph().tensors) {
      prices_.out.push_back(least_copy(tensor.bytes, &Link::from));
      prices_.back.push_back(least_copy(tensor.bytes, &Link::to));
    }
  }
  TimedTransfer least_copy(std::int64_t bytes, MemoryId Link::*end) const {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    TimedTransfer least{most, most};
    for (const Link& link : problem_.platform().links) {
      if (link.*end != graph_.memory) continue;
      least.cost = std::min(least.cost, units_of_cost(copy_joules(link, bytes)));
      least.length = std::min(least.length, units_of_time(copy_seconds(link, bytes)));
    }
    return least;
  }

  const Problem& problem_;
  const DeviceGraph& graph_;
  const Device& device_;
  bool is_for_time_;
  TimedPrices prices_;
};

}  // namespace

std::int64_t TimedPrices::below(double value) const {
  const double cost = std::ceil((value - base) / unit_cost) - 1;
  return static_cast<std::int64_t>(std::clamp(cost, -1.0, most_units));
}

std::optional<TimedPrices> timed_prices(const Problem& problem, const DeviceGraph& graph,
                                        double seconds, double units) {
  return Pricing(problem, graph).prices(seconds, units);
}

}  // namespace stint
