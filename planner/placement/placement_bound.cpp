#include "planner/placement/placement_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "planner/chains/chain_costs.hpp"
#include "planner/placement/relaxed_memory.hpp"

namespace stint {
namespace {

constexpr double units_of_horizon = 4e6;
constexpr std::int64_t units_of_watts = 1000;  // joule units of what is always on in a second unit
constexpr double units_of_joules = 4e9;        // of all tasks, where nothing is always on
constexpr int most_moments = 4;                // of each memory
constexpr double largest_product = 4e6;        // tasks times tasks: moments are for smaller graphs

// Long enough for every task in its slowest way, twice, and every item copied everywhere.
double everything_seconds(const PlacedGraph& graph) {
  double seconds = 0;
  for (const auto& ways : graph.ways) {
    double slowest = 0;
    for (const PlacedWay& way : ways) slowest = std::max(slowest, way.seconds);
    seconds += slowest * static_cast<double>(2 + graph.problem->platform().devices.size());
  }
  const TransferPrices prices(graph.problem->platform());
  const std::size_t memories = graph.problem->platform().memories.size();
  for (const GraphItem& item : graph.flat.items) {
    const std::int64_t bytes = graph.problem->graph().tensors[item.tensor].bytes;
    for (std::size_t from = 0; from < memories; ++from) {
      for (std::size_t to = 0; to < memories; ++to) {
        const double copy =
            prices.between(static_cast<MemoryId>(from), static_cast<MemoryId>(to), bytes).seconds;
        if (std::isfinite(copy)) seconds += copy;
      }
    }
  }
  return seconds;
}

// No plan of interest is longer: late, or dearer than one that is known by what is always on alone.
double horizon_seconds(const PlacedGraph& graph, std::optional<double> known) {
  const Problem& problem = *graph.problem;
  double horizon = everything_seconds(graph);
  if (const auto deadline = deadline_seconds(problem.request()))
    horizon = std::min(horizon, *deadline * (1 + 1e-9));
  const double watts = always_on_watts(problem.platform());
  const bool pays_time =
      problem.request().objective == Objective::energy && problem.request().bill == Bill::makespan;
  if (known && pays_time && watts > 0) horizon = std::min(horizon, *known / watts * (1 + 1e-9));
  if (known && problem.request().objective == Objective::time)
    horizon = std::min(horizon, *known * (1 + 1e-9));
  return horizon;
}

RelaxedUnits units_for(const PlacedGraph& graph, double horizon) {
  const Problem& problem = *graph.problem;
  RelaxedUnits units;
  units.seconds = horizon / units_of_horizon;
  units.horizon = static_cast<std::int64_t>(units_of_horizon) + 1;
  const double watts =
      problem.request().bill == Bill::makespan ? always_on_watts(problem.platform()) : 0;
  double joules = 0;
  for (const auto& ways : graph.ways) joules += ways.front().joules;
  if (watts * horizon > joules * 1e-3) {
    units.joules = watts * units.seconds / static_cast<double>(units_of_watts);
    units.per_second_unit = units_of_watts;
  } else {
    units.joules = std::max(joules, 1e-300) / units_of_joules;
    units.per_second_unit = units.joules_down(watts * units.seconds);
  }
  return units;
}

class Bounding {
 public:
  Bounding(const PlacedGraph& graph, const RelaxedUnits& units)
      : graph_(graph), relaxed_(graph, units) {
    relaxed_.build();
    const auto tasks = static_cast<double>(graph.tasks());
    const std::size_t memories = graph.problem->platform().memories.size();
    for (std::size_t m = 0; m < memories && tasks * tasks <= largest_product; ++m) {
      const auto memory = static_cast<MemoryId>(m);
      add_moments(relaxed_, memory, crowded_moments(graph, memory, most_moments));
    }
    relaxed_.minimise(is_for_joules());
  }

  PlacementBound solved(double work, const SearchOptions& options) {
    CpOptions solver;
    solver.work = work;
    solver.strong_relaxation = true;
    solver.interrupted = options.interrupted;
    const CpAnswer answer = solve(relaxed_.model(), solver);
    PlacementBound found;
    if (answer.bound > 0 && answer.status != CpStatus::infeasible) {
      const double value = static_cast<double>(answer.bound) * unit() * (1 - 1e-9);
      const double fixed = is_for_joules() ? fixed_joules(*graph_.problem) : 0;
      found.bound = Bound{value + fixed, "placement"};
    }
    if (answer.has_solution()) found.choice = choice_in(answer);
    return found;
  }

 private:
  bool is_for_joules() const { return graph_.problem->request().objective == Objective::energy; }
  double unit() const {
    return is_for_joules() ? relaxed_.units().joules : relaxed_.units().seconds;
  }

  // Tasks in the order of their ends, which is one that respects what they need.
  PlacementChoice choice_in(const CpAnswer& answer) const {
    const auto end = [&](TaskId task) { return answer.values[relaxed_.end(task)]; };
    std::vector<DeviceId> devices;
    std::vector<int> states;
    for (std::size_t t = 0; t < graph_.tasks(); ++t) {
      int chosen = 0;
      for (std::size_t w = 0; w < graph_.ways[t].size(); ++w) {
        if (answer.is_true(relaxed_.way(static_cast<TaskId>(t), static_cast<int>(w))))
          chosen = static_cast<int>(w);
      }
      devices.push_back(graph_.ways[t][chosen].device);
      states.push_back(graph_.ways[t][chosen].state);
    }
    std::vector<double> ends;
    for (std::size_t t = 0; t < graph_.tasks(); ++t)
      ends.push_back(static_cast<double>(end(static_cast<TaskId>(t))));
    PlacementChoice choice = plain_choice(graph_, order_by(ends), std::move(devices));
    choice.state = states;
    for (std::size_t t = 0; t < states.size(); ++t)
      choice.device_state[choice.device[t]] = states[t];
    return choice;
  }

  // The task that ends first, of those whose predecessors have been taken.
  TaskOrder order_by(const std::vector<double>& ends) const {
    const auto& before = graph_.problem->before;
    std::vector<double> late = ends;
    for (std::size_t t = 0; t < late.size(); ++t) {
      for (const TaskId other : before[t]) late[t] = std::max(late[t], late[other]);
    }
    TaskOrder order(late.size());
    for (std::size_t t = 0; t < order.size(); ++t) order[t] = static_cast<TaskId>(t);
    std::stable_sort(order.begin(), order.end(),
                     [&](TaskId a, TaskId b) { return late[a] < late[b]; });
    return order;
  }

  const PlacedGraph& graph_;
  RelaxedPlacement relaxed_;
};

}  // namespace

PlacementBound placement_bound(const PlacedGraph& graph, std::optional<double> known, double work,
                               const SearchOptions& options) {
  const Objective objective = graph.problem->request().objective;
  const bool is_ours = objective == Objective::energy || objective == Objective::time;
  const double horizon = horizon_seconds(graph, known);
  if (!is_ours || !has_cp_sat() || !(horizon > 0) || !std::isfinite(horizon)) return {};
  return Bounding(graph, units_for(graph, horizon)).solved(work, options);
}

}  // namespace stint
