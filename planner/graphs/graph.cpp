#include "planner/graphs/graph.hpp"

#include <algorithm>
#include <numeric>

#include "planner/accept.hpp"
#include "planner/chains/chain_costs.hpp"
#include "planner/graphs/graph_bound.hpp"
#include "planner/graphs/graph_draft.hpp"
#include "planner/graphs/graph_solver.hpp"

namespace stint {
namespace {

constexpr double bound_work_per_unit = 0.5;
constexpr int attempts = 8;  // at fitting addresses into the memory

class OnDevice {
 public:
  OnDevice(const Problem& problem, const SearchOptions& options, const DeviceGraph& graph,
           Answer& answer)
      : problem_(problem), options_(options), graph_(graph), answer_(answer) {}

  void plan() {
    const ChainAim aim =
        problem_.request().objective == Objective::time ? ChainAim{0, 1} : ChainAim{1, 0};
    attempt(aim, cheapest_states(aim));
  }

 private:
  const Device& device() const { return problem_.platform().devices[graph_.device]; }

  std::vector<double> costs(const ChainAim& aim, const std::vector<int>& states) const {
    std::vector<double> all;
    for (std::size_t t = 0; t < states.size(); ++t)
      all.push_back(task_cost(problem_, graph_.device, static_cast<TaskId>(t), states[t], aim));
    return all;
  }

  std::vector<int> cheapest_states(const ChainAim& aim) const {
    std::vector<int> best;
    double least = 0;
    for (const int choice : state_choices(device())) {
      const auto states = task_states(problem_, graph_.device, choice, aim);
      const auto each = costs(aim, states);
      const double sum = std::accumulate(each.begin(), each.end(), 0.0);
      if (best.empty() || sum < least) best = states, least = sum;
    }
    return best;
  }

  void attempt(const ChainAim& aim, const std::vector<int>& states) {
    GraphSolverOptions options;
    options.limit = problem_.request().limit;
    options.seed = static_cast<std::uint64_t>(problem_.request().seed);
    options.interrupted = options_.interrupted;
    GraphSolver solver(graph_, costs(aim, states), memory_orders(problem_), options);
    const std::string name = memory_name(problem_.platform(), graph_.memory);
    std::int64_t capacity = graph_.capacity_bytes;
    for (int tried = 0; tried < attempts; ++tried) {
      const auto plan = solver.solve(capacity);
      if (!plan) return;
      Schedule schedule =
          finish(problem_, graph_draft(problem_, graph_, plan->sequence, states), "graph");
      const std::int64_t arena = schedule.arenas.contains(name) ? schedule.arenas.at(name) : 0;
      if (accept(problem_, schedule, answer_)) {
        keep(std::move(schedule));
        break;
      }
      const std::int64_t excess = arena - problem_.capacity_bytes[graph_.memory];
      if (excess <= 0 || options_.is_interrupted()) return;
      capacity -= std::min(excess, capacity >> tried) << tried;
    }
    claim(solver);
  }

  void claim(const GraphSolver& solver) {
    const double work = problem_.request().limit * bound_work_per_unit;
    const auto bound = graph_bound(problem_, graph_, solver.moments(), work, options_);
    if (bound && (!answer_.bound || answer_.bound->value < bound->value)) answer_.bound = bound;
  }

  void keep(Schedule schedule) {
    const double value = schedule.predicted.objective.value;
    if (answer_.schedule && answer_.schedule->predicted.objective.value <= value) return;
    answer_.schedule = std::move(schedule);
    if (options_.improved) options_.improved(*answer_.schedule);
  }

  const Problem& problem_;
  const SearchOptions& options_;
  const DeviceGraph& graph_;
  Answer& answer_;
};

}  // namespace

std::optional<Answer> graph(const Problem& problem, const SearchOptions& options) {
  const Request& request = problem.request();
  if (!request.recompute || request.objective == Objective::memory) return std::nullopt;
  std::optional<Answer> answer;
  for (std::size_t d = 0; d < problem.platform().devices.size(); ++d) {
    if (answer && answer->schedule && options.is_interrupted()) break;
    const auto flat = device_graph(problem, static_cast<DeviceId>(d));
    if (!flat) continue;
    if (!answer) answer.emplace();
    OnDevice(problem, options, *flat, *answer).plan();
  }
  return answer;
}

}  // namespace stint
