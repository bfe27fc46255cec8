#include "planner/chains/solve_sync.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "planner/chains/h_revolve.hpp"
#include "planner/chains/level_moves.hpp"
#include "planner/chains/sync_search.hpp"

namespace stint {

namespace {

std::vector<int> sorted_levels(const SyncProblem& problem) {
  std::vector<int> order(problem.levels.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    const SyncLevel& x = problem.levels[a];
    const SyncLevel& y = problem.levels[b];
    return std::pair(x.write_cost, x.read_cost) < std::pair(y.write_cost, y.read_cost);
  });
  return order;
}

bool dominates(const SyncLevel& a, const SyncLevel& b) {
  return a.write_cost <= b.write_cost && a.read_cost <= b.read_cost;
}

// A level that is cheaper in both ways never comes after the other.
bool worth_trying(const SyncProblem& problem, const std::vector<int>& order) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const SyncLevel& inner = problem.levels[order[i]];
      const SyncLevel& outer = problem.levels[order[j]];
      if (dominates(outer, inner) && !dominates(inner, outer)) return false;
    }
  }
  return true;
}

std::optional<SyncPlan> best_order(const SyncProblem& problem, const SolveSyncOptions& options) {
  std::optional<SyncPlan> best;
  std::vector<int> order(problem.levels.size());
  std::iota(order.begin(), order.end(), 0);
  int tried = 0;
  do {
    if (!worth_trying(problem, order)) continue;
    auto plan = solve_h_revolve(problem, {order, options.max_cells});
    if (plan && (!best || plan->cost < best->cost)) best = std::move(plan);
  } while (++tried < options.max_orders && std::next_permutation(order.begin(), order.end()));
  return best;
}

// Levels in the order of their writes, and no read dearer than one further out: each of its costs
// is at most the true one, and so is its optimum.
SyncProblem with_cheaper_reads(SyncProblem problem) {
  std::vector<SyncLevel> levels;
  for (const int k : sorted_levels(problem)) levels.push_back(problem.levels[k]);
  for (std::size_t k = levels.size() - 1; k-- > 0;) {
    levels[k].read_cost = std::min(levels[k].read_cost, levels[k + 1].read_cost);
  }
  problem.levels = std::move(levels);
  return problem;
}

void swap_costs(SyncProblem& problem) {
  for (SyncLevel& level : problem.levels) std::swap(level.write_cost, level.read_cost);
}

SyncProblem with_cheaper_writes(SyncProblem problem) {
  swap_costs(problem);
  problem = with_cheaper_reads(std::move(problem));
  swap_costs(problem);
  return problem;
}

double relaxed_bound(const SyncProblem& problem, const SolveSyncOptions& options) {
  double bound = 0;
  for (const SyncProblem& relaxed : {with_cheaper_reads(problem), with_cheaper_writes(problem)}) {
    const auto plan = solve_h_revolve(relaxed, {{}, options.max_cells});
    if (plan) bound = std::max(bound, plan->lower_bound);
  }
  return bound;
}

void prove(SyncPlan& plan, const SyncProblem& problem, const SolveSyncOptions& options) {
  plan.lower_bound = std::min(plan.cost, relaxed_bound(problem, options));
  if (plan.optimal() || options.max_states == 0) return;
  SyncSearch search = search_sync(problem, plan.cost, options.max_states);
  if (search.plan) {
    plan = std::move(*search.plan);
  } else {
    plan.lower_bound = std::max(plan.lower_bound, search.lower_bound);
  }
}

}  // namespace

std::optional<SyncPlan> solve_sync(const SyncProblem& problem, const SolveSyncOptions& options) {
  SyncProblem used = problem;
  for (SyncLevel& level : used.levels) level.slots = std::max<std::int64_t>(level.slots, 0);
  auto sorted = solve_h_revolve(used, {sorted_levels(used), options.max_cells});
  if (!sorted || sorted->optimal()) return sorted;
  auto plan = count_level_moves_cells(used) <= options.max_cells ? solve_level_moves(used)
                                                                 : best_order(used, options);
  if (!plan || sorted->cost <= plan->cost) plan = std::move(sorted);
  prove(*plan, used, options);
  return plan;
}

}  // namespace stint
