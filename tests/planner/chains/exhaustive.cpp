#include "tests/planner/chains/exhaustive.hpp"

#include <array>
#include <bit>
#include <functional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stint {

namespace {

using State = std::array<unsigned, 5>;

struct StateHash {
  std::size_t operator()(const State& state) const {
    std::size_t hash = 0;
    for (const unsigned part : state) hash = (hash ^ part) * 0x9E3779B97F4A7C15U;
    return hash ^ hash >> 32;
  }
};

// The least cost from start to a state that is done; moves(state, visit) names its successors.
template <typename Moves, typename Done>
double least_cost(const State& start, const Moves& moves, const Done& done) {
  using Entry = std::pair<double, State>;
  std::unordered_map<State, double, StateHash> known = {{start, 0}};
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  open.push({0, start});
  while (!open.empty()) {
    const auto [cost, state] = open.top();
    open.pop();
    if (known[state] < cost) continue;
    if (done(state)) return cost;
    moves(state, [&, here = cost](const State& after, double step) {
      const auto [place, fresh] = known.try_emplace(after, here + step);
      if (!fresh && place->second <= here + step) return;
      place->second = here + step;
      open.push({here + step, after});
    });
  }
  return no_cost;
}

// Buffer and next backward, both plus one, then a set of indices for each level.
using SyncState = State;

template <typename Visit>
void write_moves(const SyncProblem& problem, const SyncState& state, std::size_t k,
                 const Visit& visit) {
  const unsigned mine = 1U << (state[0] - 1);
  const unsigned held = state[2 + k];
  const SyncLevel& level = problem.levels[k];
  if ((held & mine) || level.slots < 1) return;
  SyncState after = state;
  after[2 + k] = held | mine;
  if (std::popcount(held) < level.slots) return visit(after, level.write_cost);
  for (unsigned rest = held; rest != 0; rest &= rest - 1) {
    after[2 + k] = (held & ~(rest & -rest)) | mine;
    visit(after, level.write_cost);
  }
}

template <typename Visit>
void sync_moves(const SyncProblem& problem, const SyncState& state, const Visit& visit) {
  SyncState after = state;
  if (state[0] != 0 && state[0] == state[1]) {
    after[0] = 0;
    --after[1];
    for (std::size_t k = 2; k < 5; ++k) after[k] &= (1U << after[1]) - 1;
    visit(after, problem.backward_cost);
  } else if (state[0] != 0) {
    ++after[0];
    visit(after, problem.forward_cost);
  }
  for (std::size_t k = 0; k < problem.levels.size(); ++k) {
    if (state[0] != 0) write_moves(problem, state, k, visit);
    for (unsigned rest = state[2 + k]; rest != 0; rest &= rest - 1) {
      after = state;
      after[0] = static_cast<unsigned>(std::countr_zero(rest)) + 1;
      visit(after, problem.levels[k].read_cost);
    }
  }
}

// Current x plus one, tape in working memory plus one, steps left, stored inputs, stored tapes.
using MixedState = State;

template <typename Visit>
void mixed_moves(const MixedProblem& problem, const MixedState& state, const Visit& visit) {
  const auto with = [&](std::size_t place, unsigned value) {
    MixedState after = state;
    after[place] = value;
    return after;
  };
  if (state[0] != 0 && state[0] <= state[2]) {
    visit(with(0, state[0] + 1), 1);
    MixedState taped = with(0, state[0] + 1);
    taped[1] = state[0];
    visit(taped, 1);
  }
  if (state[1] != 0 && state[1] == state[2]) {
    MixedState after = with(1, 0);
    --after[2];
    visit(after, 0);
  }
  const bool room = std::popcount(state[3]) + std::popcount(state[4]) < problem.slots;
  if (room && state[0] != 0) visit(with(3, state[3] | 1U << (state[0] - 1)), 0);
  if (room && state[1] != 0) visit(with(4, state[4] | 1U << (state[1] - 1)), 0);
  for (const std::size_t kind : {3U, 4U}) {
    for (unsigned rest = state[kind]; rest != 0; rest &= rest - 1) {
      visit(with(kind, state[kind] & ~(rest & -rest)), 0);
      visit(with(kind - 3, static_cast<unsigned>(std::countr_zero(rest)) + 1), 0);
    }
  }
}

}  // namespace

double exhaustive_sync_cost(const SyncProblem& problem) {
  const SyncState start = {1, static_cast<unsigned>(problem.length) + 1, 0, 0, 0};
  return least_cost(
      start, [&](const SyncState& state, const auto& visit) { sync_moves(problem, state, visit); },
      [](const SyncState& state) { return state[1] == 0; });
}

int exhaustive_mixed_forwards(const MixedProblem& problem) {
  const MixedState start = {1, 0, static_cast<unsigned>(problem.steps), 0, 0};
  const double forwards = least_cost(
      start,
      [&](const MixedState& state, const auto& visit) { mixed_moves(problem, state, visit); },
      [](const MixedState& state) { return state[2] == 0; });
  return forwards == no_cost ? -1 : static_cast<int>(forwards);
}

}  // namespace stint
