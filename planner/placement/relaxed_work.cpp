#include "planner/placement/relaxed_work.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "models/graph_algorithms.hpp"
#include "planner/placement/block_patterns.hpp"
#include "planner/strategy.hpp"

namespace stint {
namespace {

constexpr int most_firsts = 3;            // of one joining task
constexpr std::size_t largest_block = 6;  // tasks
constexpr double block_work = 0.3;        // of the solver, for one block at one price
constexpr std::int64_t largest_sum = std::int64_t{1} << 60;
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
  if (is_known || price <= 0) return;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const WorkBetween& block = blocks_[b];
    if (BlockPatterns::are_few(graph_, block)) {
      const BlockPatterns patterns(graph_, units_, block);
      costs_.push_back({static_cast<int>(b), price, patterns.least_at(price)});
      continue;
    }
    if (work > 0) work -= solve_alone(static_cast<int>(b), price, work);
  }
}

// Returns the work that it took.
double BlockCosts::solve_alone(int b, std::int64_t price, double work) {
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
  if (answer.has_solution() && answer.bound > 0) costs_.push_back({b, price, {answer.bound}});
  return std::max(answer.work, least_work);
}

void BlockCosts::add_to(RelaxedPlacement& relaxed) const {
  std::vector<std::vector<VariableId>> patterns(blocks_.size());
  for (const Cost& cost : costs_) {
    const WorkBetween& block = blocks_[cost.block];
    LinearSum sum = relaxed.cost_between(block.first, block.then, block.tasks, cost.price);
    if (cost.least.size() == 1) {
      relaxed.model().add_linear(sum, cost.least.front(), largest_sum);
      continue;
    }
    auto& is_pattern = patterns[cost.block];
    if (is_pattern.empty()) is_pattern = add_patterns(block, relaxed);
    for (std::size_t p = 0; p < is_pattern.size(); ++p) sum.add(is_pattern[p], -cost.least[p]);
    relaxed.model().add_linear(sum, 0, largest_sum);
  }
}

// A boolean for every pattern: it is the one that the tasks' places make.
std::vector<VariableId> BlockCosts::add_patterns(const WorkBetween& block,
                                                 RelaxedPlacement& relaxed) const {
  const BlockPatterns patterns(graph_, units_, block);
  std::vector<VariableId> chosen;
  for (std::size_t p = 0; p < patterns.all().size(); ++p)
    chosen.push_back(relaxed.model().add_boolean());
  // The patterns of which something is true are as many as this sum.
  const auto tie = [&](LinearSum sum, const auto& is_true) {
    for (std::size_t p = 0; p < chosen.size(); ++p) {
      if (is_true(patterns.all()[p])) sum.add(chosen[p], -1);
    }
    relaxed.model().add_linear(sum, 0, 0);
  };
  for (const MemoryId memory : relaxed.memories()) {
    if (const VariableId in = relaxed.in(block.first, memory); in != no_variable)
      tie(in, [&](const BlockPattern& pattern) { return pattern.first_memory == memory; });
    if (const VariableId in = relaxed.in(block.then, memory); in != no_variable)
      tie(in, [&](const BlockPattern& pattern) { return pattern.then_memory == memory; });
  }
  for (std::size_t t = 0; t < block.tasks.size(); ++t) {
    const auto& ways = graph_.ways[block.tasks[t]];
    for (std::size_t d = 0; d < graph_.problem->platform().devices.size(); ++d) {
      LinearSum there;
      for (std::size_t w = 0; w < ways.size(); ++w) {
        if (ways[w].device == static_cast<int>(d))
          there.add(relaxed.way(block.tasks[t], static_cast<int>(w)), 1);
      }
      if (there.terms.empty()) continue;
      tie(there,
          [&](const BlockPattern& pattern) { return pattern.devices[t] == static_cast<int>(d); });
    }
  }
  return chosen;
}

}  // namespace stint
