#include "planner/chains/revolve.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>

#include "tests/planner/chains/number_table.hpp"
#include "tests/planner/chains/sync_replay.hpp"

using namespace stint;

namespace {

void check_replay(const RevolveProblem& problem, const SyncPlan& plan) {
  const SyncProblem model{
      problem.length, problem.forward_cost, problem.backward_cost, {{problem.slots, 0, 0}}};
  const SyncReplay replay = replay_sync(model, plan.steps);
  CHECK(replay.fault == "");
  CHECK(replay.cost == plan.cost);
}

}  // namespace

TEST_CASE("Revolve runs the least number of forwards of every reference case") {
  const auto rows = read_number_table("revolve.txt");
  REQUIRE(rows.size() == 732);
  for (const NumberRow& row : rows) {
    const RevolveProblem problem{*row[0], *row[1]};
    CAPTURE(problem.length, problem.slots);
    CHECK(count_revolve_forwards(problem.length, problem.slots) == row[2]);
    const auto plan = solve_revolve(problem);
    REQUIRE(plan);
    CHECK(plan->cost == static_cast<double>(*row[2]));
    CHECK(plan->optimal());
    check_replay(problem, *plan);
  }
}

TEST_CASE("Revolve's closed form is its recurrence") {
  constexpr int longest = 120;
  std::vector<double> fewer(longest + 1, no_cost);  // E(n, s-1) by n - 1
  fewer[0] = 0;
  for (int s = 1; s <= 20; ++s) {
    std::vector<double> now = {0};
    for (int n = 2; n <= longest + 1; ++n) {
      double least = no_cost;
      for (int i = 1; i < n; ++i) least = std::min(least, i + fewer[n - i - 1] + now[i - 1]);
      now.push_back(least);
    }
    CHECK(revolve_costs({longest, s}) == now);
    for (int l = 0; l <= longest; ++l) {
      CHECK(static_cast<double>(*count_revolve_forwards(l, s)) == now[l]);
    }
    fewer = now;
  }
}

TEST_CASE("Revolve charges forwards and backwards what they cost") {
  const RevolveProblem problem{5, 2, 3.0, 7.0};
  const auto plan = solve_revolve(problem);
  REQUIRE(plan);
  CHECK(plan->cost == 6 * 7.0 + 8 * 3.0);
  CHECK(revolve_costs(problem).back() == plan->cost);
  check_replay(problem, *plan);
}

TEST_CASE("Revolve needs a slot unless there is one backward only") {
  CHECK_FALSE(solve_revolve({1, 0}));
  CHECK(revolve_costs({1, 0}) == std::vector<double>{0, no_cost});
  const auto plan = solve_revolve({0, 0, 1, 4});
  REQUIRE(plan);
  CHECK(plan->cost == 4);
  CHECK(plan->steps == std::vector<SyncStep>{backward_step(0)});
}

TEST_CASE("Revolve reverses ten thousand steps with a hundred slots, and a thousand with one") {
  for (const RevolveProblem& problem :
       {RevolveProblem{10000, 100}, RevolveProblem{1000, 1}, RevolveProblem{10000, 20000}}) {
    const auto plan = solve_revolve(problem);
    REQUIRE(plan);
    check_replay(problem, *plan);
  }
}

TEST_CASE("Revolve counts the forwards of chains that no plan could list, or says that it cannot") {
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  CHECK(count_revolve_forwards(huge - 1, huge) == huge - 1);
  CHECK(count_revolve_forwards(4'000'000'000, 1) == 8'000'000'002'000'000'000);
  CHECK_FALSE(count_revolve_forwards(huge - 1, 1));
  CHECK_FALSE(count_revolve_forwards(huge - 1, 2));
  CHECK_FALSE(count_revolve_forwards(huge, 2));
  // C(60, 30) backwards with 30 slots: t = 30, and C(60, 31) forwards of t n are saved.
  CHECK(count_revolve_forwards(118264581564861424 - 1, 30) ==
        30 * 118264581564861424 - 114449595062769120);
}
