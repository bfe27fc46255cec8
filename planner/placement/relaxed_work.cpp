#include "planner/placement/relaxed_work.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "models/graph_algorithms.hpp"
#include "planner/strategy.hpp"

namespace stint {
namespace {

constexpr int most_firsts = 3;            // of one joining task
constexpr std::size_t largest_block = 6;  // tasks
constexpr double block_work = 0.3;        // of the solver, for one block at one price
constexpr double least_work = 4e-3;  // what beginning one takes, so that there are not too many

class Pairing {
 public:
  explicit Pairing(const PlacedGraph& graph)
      : needs_(graph.problem->needs), reaches_(reachability(needs_)) {}

  std::vector<WorkBetween> all() {
    for (std::size_t t = 0; t < needs_.size(); ++t) {
      if (needs_[t].size() > 1) add_around(static_cast<TaskId>(t));
    }
    for (const TaskId task : ends_) add(no_task, task), add(task, no_task);
    return std::move(all_);
  }

 private:
  bool is_between(TaskId first, TaskId then, TaskId task) const {
    return (first == no_task || (first != task && reaches_[first][task])) &&
           (then == no_task || (then != task && reaches_[task][then]));
  }

  // The latest tasks from which several, or more, of those that it needs descend.
  void add_around(TaskId then) {
    std::ptrdiff_t most = 1;
    int added = 0;
    for (int f = then - 1; f >= 0 && added < most_firsts; --f) {
      const auto first = static_cast<TaskId>(f);
      const auto descend =
          std::count_if(needs_[then].begin(), needs_[then].end(),
                        [&](TaskId task) { return task != first && reaches_[first][task]; });
      if (descend <= most) continue;
      most = descend;
      add(first, then);
      ends_.insert({first, then});
      ++added;
    }
  }

  void add(TaskId first, TaskId then) {
    WorkBetween work{first, then, {}};
    for (std::size_t t = 0; t < needs_.size(); ++t) {
      const auto task = static_cast<TaskId>(t);
      if (is_between(first, then, task)) work.tasks.push_back(task);
    }
    if (work.tasks.size() > 1) all_.push_back(std::move(work));
  }

  const std::vector<std::vector<TaskId>>& needs_;
  std::vector<std::vector<bool>> reaches_;
  std::set<TaskId> ends_;
  std::vector<WorkBetween> all_;
};

}  // namespace

std::vector<WorkBetween> joined_work(const PlacedGraph& graph) { return Pairing(graph).all(); }

double dearest_second(const Platform& platform) {
  double most = 0;
  for (const Device& device : platform.devices) {
    for (int a = 0; a < choosable_states(device); ++a) {
      const PowerState& fast = device.states[a];
      most = std::max<double>(most, fast.busy_watts / 2);
      for (int b = 0; b < choosable_states(device); ++b) {
        const PowerState& slow = device.states[b];
        if (slow.speed >= fast.speed) continue;
        const double saved = fast.busy_watts / fast.speed - slow.busy_watts / slow.speed;
        most = std::max(most, saved / (1 / slow.speed - 1 / fast.speed));
      }
    }
  }
  return most;
}

std::vector<double> switching_prices(const Platform& platform, double billed_watts) {
  std::vector<double> prices;
  for (const Device& device : platform.devices) {
    std::vector<std::pair<double, double>> points;  // seconds and joules of a task of a second
    for (int s = 0; s < choosable_states(device); ++s) {
      const PowerState& state = device.states[s];
      const double watts = state.busy_watts + device.active_watts / device.workers;
      points.emplace_back(1 / state.speed, watts / state.speed);
    }
    std::sort(points.begin(), points.end());
    // Along the lower hull: from each the state that saves most for its seconds.
    for (std::size_t from = 0; from < points.size();) {
      std::size_t best = points.size();
      double most = billed_watts;
      for (std::size_t to = from + 1; to < points.size(); ++to) {
        const double saved =
            (points[from].second - points[to].second) / (points[to].first - points[from].first);
        if (saved > most) most = saved, best = to;
      }
      if (best < points.size()) prices.push_back(most - billed_watts);
      from = best;
    }
  }
  std::sort(prices.begin(), prices.end());
  prices.erase(std::unique(prices.begin(), prices.end()), prices.end());
  return prices;
}

BlockCosts::BlockCosts(const PlacedGraph& graph, const RelaxedUnits& units,
                       const std::vector<WorkBetween>& blocks, const std::atomic<bool>* interrupted)
    : graph_(graph), units_(units), interrupted_(interrupted) {
  for (const WorkBetween& block : blocks) {
    const bool is_small =
        block.first != no_task && block.then != no_task && block.tasks.size() <= largest_block;
    if (is_small) blocks_.push_back(block);
  }
}

void BlockCosts::solve_at(std::int64_t price, double work) {
  const bool is_known = std::any_of(costs_.begin(), costs_.end(),
                                    [&](const Cost& cost) { return cost.price == price; });
  if (is_known) return;
  for (std::size_t b = 0; b < blocks_.size() && work > 0 && price > 0; ++b) {
    const WorkBetween& block = blocks_[b];
    RelaxedScope scope{std::vector<char>(graph_.tasks(), 0), block.first};
    scope.is_in[block.first] = scope.is_in[block.then] = 1;
    for (const TaskId task : block.tasks) scope.is_in[task] = 1;
    RelaxedPlacement alone(graph_, units_, std::move(scope));
    alone.build();
    alone.add_turns();
    alone.model().minimise(alone.cost_between(block.first, block.then, block.tasks, price));
    CpOptions options;
    options.work = std::min(block_work, work);
    options.interrupted = interrupted_;
    const CpAnswer answer = solve(alone.model(), options);
    work -= std::max(answer.work, least_work);
    if (answer.has_solution() && answer.bound > 0)
      costs_.push_back({static_cast<int>(b), price, answer.bound});
  }
}

void BlockCosts::add_to(RelaxedPlacement& relaxed) const {
  for (const Cost& cost : costs_) {
    const WorkBetween& block = blocks_[cost.block];
    relaxed.model().add_linear(
        relaxed.cost_between(block.first, block.then, block.tasks, cost.price), cost.least,
        std::int64_t{1} << 60);
  }
}

}  // namespace stint
