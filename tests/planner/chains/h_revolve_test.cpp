#include "planner/chains/h_revolve.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "planner/chains/disk_revolve.hpp"
#include "tests/planner/chains/exhaustive.hpp"
#include "tests/planner/chains/random_sync.hpp"
#include "tests/planner/chains/reference_sync.hpp"
#include "tests/planner/chains/sync_replay.hpp"

using namespace stint;

namespace {

std::optional<SyncPlan> checked_plan(const SyncProblem& problem,
                                     const HRevolveOptions& options = {}) {
  auto plan = solve_h_revolve(problem, options);
  if (!plan) return plan;
  const SyncReplay replay = replay_sync(problem, plan->steps);
  CHECK(replay.fault == "");
  CHECK(replay.cost == plan->cost);
  return plan;
}

// The recurrence as it is written in the header, in O(l^2) for each slot.
double plain_cost(const SyncProblem& problem) {
  const auto length = static_cast<std::size_t>(problem.length);
  std::vector<double> below(length + 1, no_cost);
  below[0] = problem.backward_cost;
  for (const SyncLevel& level : problem.levels) {
    std::vector<double> buffered = below;
    for (std::int64_t m = 1; m <= level.slots; ++m) {
      std::vector<double> stored = below;
      for (std::size_t q = 1; q <= length; ++q) {
        for (std::size_t j = 1; j <= q; ++j) {
          const double there = static_cast<double>(j) * problem.forward_cost + buffered[q - j];
          stored[q] = std::min(stored[q], there + level.read_cost + stored[j - 1]);
        }
      }
      for (std::size_t q = 0; q <= length; ++q) {
        buffered[q] = std::min(below[q], level.write_cost + stored[q]);
      }
    }
    below = buffered;
  }
  return below[length];
}

}  // namespace

TEST_CASE("H-Revolve gives the recurrence's value on every reference case") {
  const auto cases = reference_sync_cases();
  REQUIRE(cases.size() == 889);
  for (const ReferenceSync& reference : cases) {
    CAPTURE(reference.number);
    const auto plan = checked_plan(reference.problem);
    REQUIRE(plan);
    CHECK(plan->cost == reference.h_revolve);
    CHECK(plan->optimal() == reference.monotone);
  }
}

TEST_CASE("H-Revolve is optimal on random monotone hierarchies") {
  RandomSync random(1);
  for (int i = 0; i < 2000; ++i) {
    const SyncProblem problem = random.problem(6, Hierarchy::monotone);
    CAPTURE(i);
    const auto plan = checked_plan(problem);
    CHECK((plan ? plan->cost : no_cost) == exhaustive_sync_cost(problem));
    if (plan) CHECK(plan->optimal());
  }
}

TEST_CASE("H-Revolve's fast minimum is the plain recurrence's on long chains") {
  const auto seed = GENERATE(range(0, 12));
  RandomSync random(seed);
  SyncProblem problem = random.problem(7, seed % 2 ? Hierarchy::any : Hierarchy::monotone, 6);
  problem.length = 400;
  problem.levels.push_back({5, 300, 200});
  if (seed % 3 == 0) problem.levels[0] = {8, 0, 0};
  const auto plan = checked_plan(problem);
  REQUIRE(plan);
  CHECK(plan->cost == plain_cost(problem));
}

TEST_CASE("H-Revolve with slots without end on disk is Disk-Revolve") {
  const auto slots = GENERATE(1, 4, 20);
  const auto plan = checked_plan({300, 2, 3, {{slots, 0, 0}, {1000000, 30, 50}}});
  REQUIRE(plan);
  CHECK(plan->cost == solve_disk_revolve({300, slots, 2, 3, 30, 50}).cost);
}

TEST_CASE("H-Revolve leaves slots unused, and claims nothing, if its table would be too large") {
  const SyncProblem problem{60, 1, 1, {{20, 1, 1}}};
  const auto full = checked_plan(problem);
  const auto small = checked_plan(problem, {{}, 61 * 3});
  REQUIRE(full);
  REQUIRE(small);
  CHECK(full->optimal());
  CHECK_FALSE(small->optimal());
  CHECK(small->cost == checked_plan({60, 1, 1, {{3, 1, 1}}})->cost);
  CHECK(small->cost > full->cost);
}

TEST_CASE("H-Revolve needs a slot somewhere unless there is one backward only") {
  CHECK_FALSE(checked_plan({1, 1, 1, {}}));
  CHECK_FALSE(checked_plan({3, 1, 1, {{0, 0, 0}, {0, 1, 1}}}));
  CHECK(checked_plan({0, 1, 4, {}})->cost == 4);
  CHECK(checked_plan({0, 1, 4, {{2, 1, 1}}})->steps == std::vector<SyncStep>{backward_step(0)});
}

TEST_CASE("H-Revolve reverses ten thousand steps with a hundred slots in each of two levels") {
  const auto plan = checked_plan({10000, 1, 2, {{100, 0, 0}, {100, 10, 10}}});
  REQUIRE(plan);
  CHECK(plan->optimal());
}
