#include "schedules/happens_before.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "tests/support/small_schedules.hpp"

using namespace stint;

namespace {

// Actions without content on a few workers, some on two lists, waiting for random earlier ones.
// Only the order is of interest.
Schedule random_order(std::uint64_t seed, int workers, int count) {
  std::mt19937_64 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  Schedule schedule;
  for (int i = 0; i < count; ++i) {
    Action action;
    action.worker = WorkerId{below(workers)};
    if (below(5) == 0)
      action.occupies = WorkerId{(action.worker + 1 + below(workers - 1)) % workers};
    for (int a = below(3); a > 0 && i > 0; --a) action.after.push_back(ActionId{below(i)});
    schedule.actions.push_back(action);
  }
  return schedule;
}

// The same actions in another order of the file that keeps every worker's list.
Schedule with_later_actions_first(const Schedule& schedule, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<int> order(schedule.actions.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  for (int round = 0; round < 200; ++round) {
    const std::size_t at = random() % (order.size() - 1);
    const Action& a = schedule.actions[order[at]];
    const Action& b = schedule.actions[order[at + 1]];
    const bool shares_a_list = a.worker == b.worker || a.worker == b.occupies ||
                               b.worker == a.occupies ||
                               (a.occupies != no_worker && a.occupies == b.occupies);
    if (!shares_a_list) std::swap(order[at], order[at + 1]);
  }
  std::vector<int> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<int>(i);
  Schedule shuffled;
  for (const int old : order) {
    shuffled.actions.push_back(schedule.actions[old]);
    for (ActionId& earlier : shuffled.actions.back().after) earlier = ActionId{place[earlier]};
  }
  return shuffled;
}

std::vector<std::vector<bool>> closure(const Schedule& schedule, const Lanes& lanes) {
  const std::size_t n = schedule.actions.size();
  std::vector<std::vector<bool>> before(n, std::vector<bool>(n, false));
  for (int i = 0; i < static_cast<int>(n); ++i) {
    for_each_predecessor(schedule, lanes, ActionId{i}, [&](ActionId p) { before[p][i] = true; });
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n && before[i][k]; ++j) {
        if (before[k][j]) before[i][j] = true;
      }
    }
  }
  return before;
}

}  // namespace

TEST_CASE("vector clocks agree with the transitive closure", "[order]") {
  const auto seed = static_cast<std::uint64_t>(GENERATE(range(0, 60)));
  const int workers = 2 + static_cast<int>(seed % 5);
  Schedule schedule = random_order(seed, workers, 40);
  if (seed % 2 == 1) schedule = with_later_actions_first(schedule, seed);
  const Lanes all = lanes(schedule, workers);
  const auto order = topological_order(schedule, all);
  REQUIRE(order);
  const HappensBefore before(schedule, all, *order);
  const auto expected = closure(schedule, all);
  for (int i = 0; i < 40; ++i) {
    for (int j = 0; j < 40; ++j) {
      CAPTURE(seed, i, j);
      REQUIRE(before(ActionId{i}, ActionId{j}) == expected[i][j]);
    }
  }
}

TEST_CASE("a topological order puts everything after what happens before it", "[order]") {
  const auto seed = static_cast<std::uint64_t>(GENERATE(range(0, 40)));
  const Schedule schedule = with_later_actions_first(random_order(seed, 4, 40), seed);
  const Lanes all = lanes(schedule, 4);
  const auto order = topological_order(schedule, all);
  REQUIRE(order);
  std::vector<int> rank(40, -1);
  for (int i = 0; i < 40; ++i) rank[(*order)[i]] = i;
  for (int i = 0; i < 40; ++i) {
    for_each_predecessor(schedule, all, ActionId{i}, [&](ActionId p) { CHECK(rank[p] < rank[i]); });
  }
}

TEST_CASE("a cycle is found, and is one", "[order]") {
  const auto seed = static_cast<std::uint64_t>(GENERATE(range(0, 40)));
  Schedule schedule = random_order(seed, 3, 30);
  schedule.actions[2].after.push_back(ActionId{29});
  schedule.actions[29].after.push_back(ActionId{2});
  const Lanes all = lanes(schedule, 3);
  REQUIRE(!topological_order(schedule, all));
  const std::vector<ActionId> cycle = find_cycle(schedule, all);
  REQUIRE(!cycle.empty());
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    bool follows = false;
    for_each_predecessor(schedule, all, cycle[(i + 1) % cycle.size()],
                         [&](ActionId p) { follows = follows || p == cycle[i]; });
    CHECK(follows);
  }
}
