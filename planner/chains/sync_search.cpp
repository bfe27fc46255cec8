#include "planner/chains/sync_search.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <queue>
#include <utility>
#include <vector>

namespace stint {

namespace {

using Indices = std::uint64_t;  // a set of x's, one bit each

struct State {
  std::int64_t buffer = 0;  // index of its x, or nothing
  std::int64_t next = 0;    // the backward to come, -1 at the end
  std::vector<Indices> held;
  auto operator<=>(const State&) const = default;
};

constexpr std::int64_t nothing = -1;

struct SyncNode {
  State state;
  double cost = 0;
  std::int64_t parent = nothing;
  SyncStep step = {};
};

Indices bit(std::int64_t index) { return Indices{1} << index; }
Indices up_to(std::int64_t index) { return (bit(index) << 1) - 1; }

class SyncPlanSearch {
 public:
  SyncPlanSearch(const SyncProblem& problem, double cost_to_beat)
      : problem_(problem), cost_to_beat_(cost_to_beat) {
    for (const SyncLevel& level : problem.levels) {
      if (level.slots > 0) least_read_ = std::min(least_read_, level.read_cost);
    }
    if (least_read_ == no_cost) least_read_ = 0;
    add({0, problem.length, std::vector<Indices>(problem.levels.size(), 0)}, 0, nothing, {});
  }

  SyncSearch run(std::int64_t max_states) {
    while (!open_.empty()) {
      const auto [estimate, id] = open_.top();
      if (static_cast<std::int64_t>(nodes_.size()) > max_states) return {estimate, {}};
      open_.pop();
      const SyncNode node = nodes_[id];
      if (known_.at(node.state) != id) continue;  // reached at less cost since
      if (node.state.next < 0) return {node.cost, path(id)};
      expand(node, id);
    }
    return {cost_to_beat_, {}};
  }

 private:
  [[nodiscard]] double estimate(const State& state) const {
    if (state.next < 0) return 0;
    Indices present = state.buffer == nothing ? 0 : bit(state.buffer);
    for (const Indices held : state.held) present |= held;
    const auto absent = std::popcount(up_to(state.next) & ~present & ~Indices{1});
    const auto backwards = static_cast<double>(state.next + 1);
    return backwards * problem_.backward_cost + absent * problem_.forward_cost +
           (backwards - (state.buffer != nothing)) * least_read_;
  }

  void add(State state, double cost, std::int64_t parent, const SyncStep& step) {
    if (state.buffer > state.next) state.buffer = nothing;
    const double total = cost + estimate(state);
    if (total >= cost_to_beat_) return;
    const auto id = static_cast<std::int64_t>(nodes_.size());
    const auto [place, fresh] = known_.try_emplace(state, id);
    if (!fresh && nodes_[place->second].cost <= cost) return;
    place->second = id;
    nodes_.push_back({std::move(state), cost, parent, step});
    open_.push({total, id});
  }

  void expand(const SyncNode& node, std::int64_t id) {
    const State& state = node.state;
    for (int k = 0; k < static_cast<int>(problem_.levels.size()); ++k) {
      if (state.buffer != nothing) write(node, id, k);
      read(node, id, k);
    }
    if (state.buffer == nothing) return;
    State after = state;
    if (state.buffer == state.next) {
      after.buffer = nothing;
      --after.next;
      for (Indices& held : after.held) held &= ~bit(state.next);
      add(after, node.cost + problem_.backward_cost, id, backward_step(state.buffer));
    } else {
      ++after.buffer;
      add(after, node.cost + problem_.forward_cost, id,
          forward_step(state.buffer, state.buffer + 1));
    }
  }

  void write(const SyncNode& node, std::int64_t id, int k) {
    const Indices held = node.state.held[k];
    if (held & bit(node.state.buffer)) return;
    const SyncStep step = write_step(k, node.state.buffer);
    const double cost = node.cost + problem_.levels[k].write_cost;
    State after = node.state;
    if (std::popcount(held) < problem_.levels[k].slots) {
      after.held[k] = held | bit(node.state.buffer);
      add(after, cost, id, step);
      return;
    }
    for (Indices rest = held; rest != 0; rest &= rest - 1) {  // in the place of each
      after.held[k] = (held & ~bit(std::countr_zero(rest))) | bit(node.state.buffer);
      if (problem_.levels[k].slots > 0) add(after, cost, id, step);
    }
  }

  void read(const SyncNode& node, std::int64_t id, int k) {
    for (Indices rest = node.state.held[k]; rest != 0; rest &= rest - 1) {
      State after = node.state;
      after.buffer = std::countr_zero(rest);
      add(after, node.cost + problem_.levels[k].read_cost, id, read_step(k, after.buffer));
    }
  }

  [[nodiscard]] SyncPlan path(std::int64_t id) const {
    SyncPlan plan{nodes_[id].cost, nodes_[id].cost, {}};
    std::vector<std::int64_t> ids;
    for (; nodes_[id].parent != nothing; id = nodes_[id].parent) ids.push_back(id);
    std::reverse(ids.begin(), ids.end());
    for (const std::int64_t i : ids) append(nodes_[i], plan.steps);
    return plan;
  }

  // What a state no longer holds was discarded just before its step; forwards in a row are one.
  void append(const SyncNode& node, std::vector<SyncStep>& steps) const {
    const State& before = nodes_[node.parent].state;
    for (int k = 0; k < static_cast<int>(before.held.size()); ++k) {
      for (Indices gone = before.held[k] & ~node.state.held[k]; gone != 0; gone &= gone - 1) {
        steps.push_back(discard_step(k, std::countr_zero(gone)));
      }
    }
    if (node.step.action == SyncAction::forward && !steps.empty() &&
        steps.back().action == SyncAction::forward && steps.back().until == node.step.index) {
      steps.back().until = node.step.until;
    } else {
      steps.push_back(node.step);
    }
  }

  using Entry = std::pair<double, std::int64_t>;  // ties go to the older node
  const SyncProblem& problem_;
  double cost_to_beat_;
  double least_read_ = no_cost;
  std::vector<SyncNode> nodes_;
  std::map<State, std::int64_t> known_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open_;
};

}  // namespace

SyncSearch search_sync(const SyncProblem& problem, double cost_to_beat, std::int64_t max_states) {
  if (problem.length > longest_searched_chain) return {};
  return SyncPlanSearch(problem, cost_to_beat).run(max_states);
}

}  // namespace stint
