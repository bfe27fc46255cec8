#include "planner/chains/mixed.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>

#include "tests/planner/chains/exhaustive.hpp"
#include "tests/planner/chains/mixed_replay.hpp"
#include "tests/planner/chains/number_table.hpp"

using namespace stint;

namespace {

std::int64_t checked_forwards(const MixedProblem& problem) {
  const auto plan = solve_mixed(problem);
  if (!plan) return -1;
  const MixedReplay replay = replay_mixed(problem, *plan);
  CHECK(replay.fault == "");
  CHECK(replay.forwards == plan->forwards);
  return plan->forwards;
}

}  // namespace

TEST_CASE("Mixed checkpointing runs the least number of forwards of every reference case") {
  const auto rows = read_number_table("mixed.txt");
  REQUIRE(rows.size() == 400);
  for (const NumberRow& row : rows) {
    CAPTURE(*row[0], *row[1]);
    CHECK(checked_forwards({*row[0], *row[1]}) == row[2]);
  }
}

TEST_CASE("Mixed checkpointing finds the optimum of exhaustive search") {
  for (int n = 1; n <= 7; ++n) {
    for (int s = 0; s <= 3; ++s) {
      CAPTURE(n, s);
      CHECK(checked_forwards({n, s}) == exhaustive_mixed_forwards({n, s}));
    }
  }
}

TEST_CASE("Mixed checkpointing's fast minimum is the plain recurrence's") {
  constexpr int steps = 500;
  std::vector<double> fewer(steps + 1, std::numeric_limits<double>::infinity());
  fewer[1] = 1;
  for (int s = 1; s <= 12; ++s) {
    std::vector<double> now = {0, 1};
    for (int n = 2; n <= steps; ++n) {
      double least = n <= s + 1 ? n : 1 + fewer[n - 1];
      for (int i = 2; i < n; ++i) least = std::min(least, i + now[i] + fewer[n - i]);
      now.push_back(least);
    }
    CHECK(static_cast<double>(checked_forwards({steps, s})) == now[steps]);
    fewer = now;
  }
}

TEST_CASE("Mixed checkpointing with a slot for every step but one records each tape once") {
  CHECK(checked_forwards({30, 29}) == 30);
  CHECK(checked_forwards({30, 1000}) == 30);
  CHECK(checked_forwards({0, 0}) == 0);
}
