#include "planner/chains/solve_sync.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "planner/chains/h_revolve.hpp"
#include "planner/chains/level_moves.hpp"
#include "planner/chains/sync_search.hpp"
#include "tests/planner/chains/exhaustive.hpp"
#include "tests/planner/chains/random_sync.hpp"
#include "tests/planner/chains/reference_sync.hpp"
#include "tests/planner/chains/sync_replay.hpp"

using namespace stint;

namespace {

void check_replay(const SyncProblem& problem, const SyncPlan& plan) {
  const SyncReplay replay = replay_sync(problem, plan.steps);
  CHECK(replay.fault == "");
  CHECK(replay.cost == plan.cost);
}

double checked_cost(const SyncProblem& problem, const std::optional<SyncPlan>& plan) {
  if (!plan) return no_cost;
  check_replay(problem, *plan);
  return plan->cost;
}

// Moves pay here: no order of the two levels reaches 1384.
const SyncProblem moving{20, 12, 11, {{1, 22, 17}, {2, 1, 30}}};

}  // namespace

TEST_CASE("Every exact reference value of a hierarchy is reached and proved") {
  int exact = 0;
  for (const ReferenceSync& reference : reference_sync_cases()) {
    if (!reference.exact) continue;
    ++exact;
    CAPTURE(reference.number);
    const auto plan = solve_sync(reference.problem);
    CHECK(checked_cost(reference.problem, plan) == *reference.exact);
    CHECK(plan->optimal());
  }
  CHECK(exact == 243);
}

TEST_CASE("A chain on any hierarchy gets the optimum of exhaustive search, and a true bound") {
  RandomSync random(2);
  const auto limit = GENERATE(200000, 50, 0);
  for (int i = 0; i < 600; ++i) {
    const SyncProblem problem = random.problem(6, Hierarchy::any);
    CAPTURE(i, limit);
    const auto plan = solve_sync(problem, {.max_states = limit});
    const double exact = exhaustive_sync_cost(problem);
    CHECK(checked_cost(problem, plan) == exact);
    if (plan) CHECK(plan->lower_bound <= exact);
    if (plan && limit > 50) CHECK(plan->optimal());
  }
}

TEST_CASE("Levels that checkpoints move between give the optimum of exhaustive search") {
  RandomSync random(3);
  for (int i = 0; i < 1500; ++i) {
    const SyncProblem problem = random.problem(6, Hierarchy::any);
    CAPTURE(i);
    CHECK(checked_cost(problem, solve_level_moves(problem)) == exhaustive_sync_cost(problem));
  }
}

TEST_CASE("Moving checkpoints between levels beats every order of the levels") {
  CHECK(checked_cost(moving, solve_h_revolve(moving)) == 1390);
  CHECK(checked_cost(moving, solve_h_revolve(moving, {{1, 0}})) == 1398);
  CHECK(checked_cost(moving, solve_level_moves(moving)) == 1384);
  CHECK(checked_cost(moving, solve_sync(moving)) == 1384);
}

TEST_CASE("Moving between monotone levels gains nothing") {
  RandomSync random(4);
  for (int i = 0; i < 60; ++i) {
    const SyncProblem problem = random.problem(60, Hierarchy::monotone, 3);
    CAPTURE(i);
    CHECK(checked_cost(problem, solve_level_moves(problem)) ==
          checked_cost(problem, solve_h_revolve(problem)));
  }
}

TEST_CASE("A table that would be too large gives way to the best order of the levels") {
  const auto plan = solve_sync(moving, {.max_cells = 200, .max_states = 0});
  CHECK(checked_cost(moving, plan) == 1390);
  CHECK_FALSE(plan->optimal());
  CHECK(plan->lower_bound > 0.9 * 1384);
  CHECK(plan->lower_bound <= 1384);
}

TEST_CASE("The order in which levels are listed does not matter") {
  const SyncProblem listed{40, 2, 3, {{2, 9, 9}, {3, 0, 0}, {1, 4, 4}}};
  const SyncProblem sorted{40, 2, 3, {{3, 0, 0}, {1, 4, 4}, {2, 9, 9}}};
  const auto plan = solve_sync(listed);
  CHECK(checked_cost(listed, plan) == checked_cost(sorted, solve_sync(sorted)));
  CHECK(plan->optimal());
}

TEST_CASE("The search alone finds the optimum or proves that nothing is below a cost") {
  RandomSync random(6);
  for (int i = 0; i < 400; ++i) {
    const SyncProblem problem = random.problem(6, Hierarchy::any);
    CAPTURE(i);
    const double exact = exhaustive_sync_cost(problem);
    const SyncSearch found = search_sync(problem, no_cost, 1000000);
    CHECK(checked_cost(problem, found.plan) == exact);
    CHECK(found.lower_bound == exact);
    const SyncSearch proof = search_sync(problem, exact, 1000000);
    CHECK_FALSE(proof.plan);
    CHECK(proof.lower_bound == exact);
    CHECK(search_sync(problem, exact, 5).lower_bound <= exact);
  }
}

TEST_CASE("Chains beyond the search's reach keep the bound of a monotone hierarchy") {
  const SyncProblem problem{200, 3, 5, {{2, 30, 4}, {3, 2, 25}}};
  CHECK(search_sync(problem, no_cost, 10).lower_bound == 0);
  const auto plan = solve_sync(problem);
  const double cost = checked_cost(problem, plan);
  CHECK(plan->lower_bound > 0);
  CHECK(plan->lower_bound < cost);
}

TEST_CASE("Without a slot there is no plan unless there is one backward only") {
  CHECK_FALSE(solve_sync({2, 1, 1, {}}));
  CHECK_FALSE(solve_sync({2, 1, 1, {{0, 3, 1}, {0, 1, 3}}}));
  CHECK_FALSE(solve_level_moves({2, 1, 1, {{0, 3, 1}}}));
  CHECK(solve_sync({0, 1, 7, {{0, 3, 1}, {0, 1, 3}}})->cost == 7);
}

TEST_CASE("A table's size that int64 cannot hold is the largest int64") {
  const SyncLevel large{std::int64_t{1} << 40, 1, 1};
  CHECK(count_level_moves_cells({std::int64_t{1} << 40, 1, 1, {large, large}}) ==
        std::numeric_limits<std::int64_t>::max());
  CHECK(count_level_moves_cells({9, 1, 1, {{2, 0, 0}, {50, 1, 1}}}) == 2 * 10 * 3 * 10);
}
