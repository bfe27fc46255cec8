#include "planner/graphs/graph_bound.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "planner/chains/chain_costs.hpp"
#include "planner/graphs/graph_solver.hpp"
#include "planner/graphs/moments.hpp"
#include "schedules/cost.hpp"

namespace stint {
namespace {

constexpr double bound_units = 1e11;
constexpr std::size_t strong_up_to_tasks = 2500;

// What a second of work costs beside the busy watts of its state, and what the step costs however
// it is done: together no more than the objective of any plan.
struct Prices {
  double watts = 0;    // per second of a task
  double seconds = 0;  // likewise, where seconds are the aim
  double joules = 1;   // weight of busy joules
  double fixed = 0;
};

class Bounding {
 public:
  Bounding(const Problem& problem, const DeviceGraph& graph)
      : problem_(problem), graph_(graph), device_(problem.platform().devices[graph.device]) {}

  // Every run of a task takes one of the workers for its time, and the makespan is at least all
  // that over the workers; it is also at least the critical path. What is always on costs its watts
  // for that time, whichever is more by itself.
  Prices prices() const {
    const double workers = device_.workers;
    if (problem_.request().objective == Objective::time) return {0, 1 / workers, 0, 0};
    const double shared = device_.active_watts / workers;
    const double always = always_on_watts(problem_.platform());
    if (problem_.request().bill != Bill::makespan) return {shared, 0, 1, fixed_joules(problem_)};
    const double path = time_bound(problem_).value;
    const double work = fastest_seconds() / workers;
    if (work * (1 + 1e-9) >= path) return {shared + always / workers, 0, 1, 0};
    return {shared, 0, 1, always * path};
  }

  // All work takes at most workers × deadline.
  Prices with_deadline(Prices prices, double second_joules) const {
    const auto deadline = deadline_seconds(problem_.request());
    if (!deadline) return prices;
    prices.watts += second_joules / device_.workers;
    prices.fixed -= second_joules * *deadline * (1 + 1e-9);
    return prices;
  }

  std::vector<double> costs(const Prices& prices) const {
    std::vector<double> all;
    for (std::size_t t = 0; t < graph_.tasks.size(); ++t) {
      all.push_back(least(t, [&](const PowerState& state, double seconds) {
        const double busy = busy_watts(problem_.graph().tasks[t], state);
        return (prices.joules * busy + prices.watts + prices.seconds) * seconds;
      }));
    }
    return all;
  }

  // The cheapest link out and the cheapest back, without their time.
  std::vector<MovePrice> moves(double unit, const Prices& prices) const {
    std::vector<MovePrice> all;
    if (!problem_.request().offload) return all;
    double out = std::numeric_limits<double>::infinity();
    double back = out;
    const auto price = [&](const Link& link) {
      return prices.joules * (link.joules_per_byte + link.active_watts / link.bytes_per_second);
    };
    for (const Link& link : problem_.platform().links) {
      if (link.from == graph_.memory) out = std::min(out, price(link));
      if (link.to == graph_.memory) back = std::min(back, price(link));
    }
    if (!(out < std::numeric_limits<double>::infinity()) || !(back < out + back + 1)) return all;
    for (const GraphItem& item : graph_.items) {
      const auto bytes = static_cast<double>(problem_.graph().tensors[item.tensor].bytes);
      const double whole_out = item.writers.empty() ? 0 : out * bytes;
      all.push_back({rounded_down(whole_out / unit), rounded_down(back * bytes / unit)});
    }
    return all;
  }

  // State may be elsewhere where there is an elsewhere.
  std::int64_t capacity(bool isolated) const {
    return graph_.capacity_bytes + (isolated ? 0 : graph_.state_bytes);
  }

 private:
  static std::int64_t rounded_down(double value) {
    return static_cast<std::int64_t>(std::min(value * (1 - 1e-14), 1e15));
  }
  template <typename Cost>
  double least(std::size_t task, Cost cost) const {
    double best = std::numeric_limits<double>::infinity();
    for (int s = 0; s < choosable_states(device_); ++s) {
      const PowerState& state = device_.states[s];
      best = std::min(best, cost(state, problem_.seconds[graph_.device][task] / state.speed));
    }
    return best;
  }
  double fastest_seconds() const {
    double sum = 0;
    for (std::size_t t = 0; t < graph_.tasks.size(); ++t)
      sum += least(t, [](const PowerState&, double seconds) { return seconds; });
    return sum;
  }

  const Problem& problem_;
  const DeviceGraph& graph_;
  const Device& device_;
};

// By task: whether it depends on `task` (or the other way round).
std::vector<char> relatives(const Problem& problem, TaskId task, bool later) {
  const std::size_t tasks = problem.needs.size();
  std::vector<char> related(tasks, 0);
  related[task] = 1;
  if (later) {
    for (std::size_t t = task; t < tasks; ++t) {
      for (const TaskId before : problem.needs[t]) related[t] = related[t] || related[before];
    }
  } else {
    for (std::size_t t = task + std::size_t{1}; t-- > 0;) {
      if (!related[t]) continue;
      for (const TaskId before : problem.needs[t]) related[before] = 1;
    }
  }
  related[task] = 0;
  return related;
}

}  // namespace

std::vector<TaskId> in_sequence(const Problem& problem, const std::vector<TaskId>& tasks) {
  std::vector<TaskId> chosen;
  std::vector<char> possible(problem.needs.size(), 1);
  for (const TaskId task : tasks) {
    if (!possible[task]) continue;
    chosen.push_back(task);
    const auto before = relatives(problem, task, false);
    const auto after = relatives(problem, task, true);
    for (std::size_t t = 0; t < possible.size(); ++t)
      possible[t] = possible[t] && (before[t] || after[t]);
  }
  std::sort(chosen.begin(), chosen.end());  // the listed order respects dependencies
  return chosen;
}

std::optional<Bound> graph_bound(const Problem& problem, const DeviceGraph& graph,
                                 const std::vector<TaskId>& moments, double work,
                                 const SearchOptions& options, double second_joules) {
  const Objective objective = problem.request().objective;
  const bool is_ours = problem.platform().devices.size() == 1 &&
                       (objective == Objective::energy || objective == Objective::time);
  if (!is_ours || !has_cp_sat() || moments.empty()) return std::nullopt;
  const Bounding bounding(problem, graph);
  const Prices prices = bounding.with_deadline(bounding.prices(), second_joules);
  const std::vector<double> costs = bounding.costs(prices);
  const WholeCosts whole = whole_costs(costs, bound_units);
  MomentProblem master;
  master.graph = &graph;
  master.costs = whole.costs;
  master.moments = in_sequence(problem, moments);
  master.first = first_runs_in_any_order(problem, master.moments);
  master.moves = bounding.moves(whole.unit, prices);
  master.capacity_bytes = bounding.capacity(master.moves.empty());
  master.is_bound = true;
  CpOptions solver;
  solver.work = work;
  solver.strong_relaxation = graph.tasks.size() <= strong_up_to_tasks;
  solver.interrupted = options.interrupted;
  const MomentSolution solution = solve_moments(master, solver, 0);
  if (solution.status == CpStatus::infeasible) return std::nullopt;
  const double again = static_cast<double>(std::max<std::int64_t>(solution.bound, 0)) * whole.unit;
  const double all = std::accumulate(costs.begin(), costs.end(), 0.0);
  return Bound{(all + again) * (1 - 1e-12) + prices.fixed, "moments"};
}

}  // namespace stint
