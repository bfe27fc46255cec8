#include "planner/chains/chain_search.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <unordered_map>

#include "planner/chains/chain_bound.hpp"
#include "planner/chains/chain_memory.hpp"
#include "planner/infinity.hpp"

namespace stint {
namespace {

constexpr std::int64_t looks_per_state = 50;

struct StateHash {
  std::size_t operator()(const ChainState& state) const {
    std::uint64_t hash = static_cast<std::uint64_t>(state.backwards);
    for (const std::uint64_t word : state.stored) {
      hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 32;
    }
    return hash;
  }
};

struct ChainNode {
  ChainState state;
  double cost = 0;  // from the start
  int parent = -1;
  bool done = false;
};

struct Open {
  double estimate = 0;  // cost of a whole schedule, at least
  double cost = 0;
  int node = 0;
  // The most promising first; among equals the one that is further, then the older.
  bool operator<(const Open& other) const {
    if (estimate != other.estimate) return estimate > other.estimate;
    if (cost != other.cost) return cost < other.cost;
    return node > other.node;
  }
};

class ChainSearch {
 public:
  // Only schedules that cost less than `bar` are of interest.
  ChainSearch(ChainSpace& space, double bar, int states)
      : space_(space), bound_(space), bar_(bar), limit_(states) {
    space.set_looks(looks_per_state * std::int64_t{states});
  }

  // Whether it ended by itself: with a goal, or with nothing left to look at.
  bool run() {
    reach(space_.start(), 0, -1);
    while (!open_.empty()) {
      const Open first = open_.top();
      lower_bound_ = first.estimate;
      if (space_.is_goal(nodes_[first.node].state)) return goal_ = first.node, true;
      if (static_cast<int>(nodes_.size()) >= limit_ || space_.is_exhausted()) return false;
      open_.pop();
      expand(first);
    }
    lower_bound_ = bar_;
    return true;
  }

  bool found() const { return goal_ >= 0; }
  double value() const { return nodes_[goal_].cost; }
  double lower_bound() const { return std::min(lower_bound_, bar_); }
  int states() const { return static_cast<int>(nodes_.size()); }

  ChainOperations operations() const {
    std::vector<int> path;
    for (int node = goal_; node >= 0; node = nodes_[node].parent) path.push_back(node);
    std::reverse(path.begin(), path.end());
    ChainOperations all;
    if (!space_.has(nodes_[path[0]].state, 0, space_.value(0))) {
      all.push_back({ChainAction::drop, 0});
    }
    for (std::size_t k = 1; k < path.size(); ++k) append_step(path[k - 1], path[k], all);
    return with_last_output_dropped(space_.chain(), all);
  }

 private:
  void expand(const Open& open) {
    ChainNode& node = nodes_[open.node];
    if (node.done || open.cost > node.cost) return;
    node.done = true;
    const ChainState state = node.state;
    space_.for_each_step(
        state, [&](const ChainStep& step) { reach(step.after, open.cost + step.cost, open.node); });
  }

  void reach(const ChainState& state, double cost, int parent) {
    const auto known = places_.find(state);
    const bool is_new = known == places_.end();
    if (!is_new && nodes_[known->second].cost <= cost) return;
    const double estimate = cost + bound_(state);
    if (!(estimate < bar_)) return;
    const int node = is_new ? states() : known->second;
    if (is_new) places_.emplace(state, node), nodes_.push_back({});
    nodes_[node] = {state, cost, parent, false};
    open_.push({estimate, cost, node});
  }

  // The step between two neighbours of a path is found again rather than stored.
  void append_step(int from, int to, ChainOperations& all) const {
    const ChainState& state = nodes_[from].state;
    const ChainState& wanted = nodes_[to].state;
    ChainStep cheapest;
    cheapest.cost = infinity;
    space_.for_each_step(state, [&](const ChainStep& step) {
      if (step.after == wanted && step.cost < cheapest.cost) cheapest = step;
    });
    append_operations(space_, state, cheapest, all);
  }

  const ChainSpace& space_;
  const ChainBound bound_;
  double bar_;
  int limit_;
  std::vector<ChainNode> nodes_;
  std::unordered_map<ChainState, int, StateHash> places_;
  std::priority_queue<Open> open_;
  double lower_bound_ = 0;
  int goal_ = -1;
};

// Costs are compared to what rounding of their sums leaves certain.
double just_below(double value) { return value * (1 - 1e-12); }

}  // namespace

ChainPlan solve_chain(const ChainProblem& problem, std::int64_t fast_bytes,
                      const std::vector<SlowMemory>& slow, const ChainSearchOptions& options) {
  check(slow);
  const ChainArrays chain = arrays_of(problem);
  ChainPlan plan;
  plan.lower_bound = cost_without_recomputing(chain);
  const bool is_long = chain.stages > most_persistent_stages;
  if (slow.empty() && !is_long) plan.lower_bound += least_recomputed(chain, fast_bytes);
  if (fast_bytes < largest_operation_bytes(chain)) return plan.optimal = true, plan;
  if (!is_long) {
    const OffloadPlan start = solve_offload(problem, fast_bytes, slow, options.start);
    plan.feasible = start.feasible, plan.value = start.value, plan.operations = start.operations;
  }
  plan.optimal = plan.feasible && just_below(plan.value) <= plan.lower_bound;
  const int memories = static_cast<int>(slow.size()) + 1;
  if (plan.optimal || !ChainSpace::can_hold(chain.stages, memories)) return plan;

  ChainSpace space(chain, fast_bytes, slow, options.pinned);
  ChainSearch search(space, plan.feasible ? just_below(plan.value) : infinity, options.states);
  plan.optimal = search.run();
  plan.states = search.states();
  plan.lower_bound = std::max(plan.lower_bound, search.lower_bound());
  space.set_looks(std::numeric_limits<std::int64_t>::max());
  if (search.found()) {
    plan.feasible = true, plan.value = search.value(), plan.operations = search.operations();
  }
  if (plan.optimal) plan.lower_bound = plan.feasible ? plan.value : plan.lower_bound;
  return plan;
}

LeastMemory least_fast_bytes(const ChainProblem& problem, const std::vector<SlowMemory>& slow,
                             const ChainSearchOptions& options) {
  const ChainArrays chain = arrays_of(problem);
  LeastMemory least;
  least.lower_bound = largest_operation_bytes(chain);
  least.bytes = chain.stages <= most_persistent_stages
                    ? solve_persistent(problem, 0, options.start.table).least_bytes
                    : full_memory_bytes(chain);
  // Chains too long for the search have persistent schedules only, whose least memory is known.
  const int memories = static_cast<int>(slow.size()) + 1;
  if (slow.empty() && !ChainSpace::can_hold(chain.stages, memories)) return least;
  // Feasibility is monotone in memory, so bisect; an answer without proof ends the bisection.
  std::int64_t below = least.lower_bound;
  while (below < least.bytes) {
    const std::int64_t middle = below + (least.bytes - below) / 2;
    const ChainPlan plan = solve_chain(problem, middle, slow, options);
    if (plan.feasible) {
      least.bytes = middle;
    } else {
      if (plan.optimal && least.lower_bound == below) least.lower_bound = middle + 1;
      below = middle + 1;
    }
  }
  return least;
}

}  // namespace stint
