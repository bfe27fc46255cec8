// Choosing power states on a fixed order, against all combinations and against what theory says.
#include "planner/power/choose_power.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "planner/power/power_relaxation.hpp"
#include "tests/planner/power/random_power.hpp"

using namespace stint;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The least of all combinations that meet the deadline.
double brute_force(const PowerProblem& problem, int states) {
  std::vector<int> state(problem.groups, 0);
  double least = infinity;
  for (std::size_t digit = 0; digit < state.size();) {
    PowerChoices choices;
    for (const PowerAction& action : problem.actions) choices.push_back(state[action.group]);
    const PowerPrice now = price(problem, choices);
    if (meets_deadline(problem, now.seconds)) least = std::min(least, now.joules);
    for (digit = 0; digit < state.size() && ++state[digit] == states; ++digit) state[digit] = 0;
  }
  return least;
}

// Branch and bound only: never all combinations.
constexpr PowerOptions searching{0.3};

void check_against_brute_force(const RandomPowerOptions& options, int seeds) {
  int feasible = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    CAPTURE(seed, options.actions, options.lanes);
    const PowerProblem problem = random_power(seed, options);
    const double least = brute_force(problem, options.states);
    const auto plan = choose_power(problem, options.actions > 6 ? searching : PowerOptions{});
    REQUIRE(plan.has_value() == (least < infinity));
    if (!plan) continue;
    ++feasible;
    const PowerPrice again = price(problem, plan->choices);
    CHECK(again.joules == plan->price.joules);
    CHECK(meets_deadline(problem, again.seconds));
    CHECK(plan->lower_bound <= least + 1e-9 * std::abs(least));
    if (plan->is_optimal) CHECK(plan->price.joules == Approx(least).epsilon(1e-8));
    if (!options.costly_switches) CHECK(plan->is_optimal);
    CHECK(plan->price.joules <= least * (options.costly_switches ? 1.2 : 1 + 1e-8));
  }
  CHECK(feasible > seeds / 2);
}

}  // namespace

TEST_CASE("states on small orders are the best of all combinations", "[power]") {
  for (const int lanes : {1, 2, 3}) {
    check_against_brute_force({.actions = 5, .states = 3, .lanes = lanes}, 150);
    check_against_brute_force({.actions = 8, .states = 3, .lanes = lanes}, 60);
    check_against_brute_force({.actions = 13, .states = 2, .lanes = lanes}, 30);
  }
}

TEST_CASE("states that actions share are the best of all combinations", "[power]") {
  check_against_brute_force({.actions = 6, .states = 4, .shared_states = true}, 150);
  check_against_brute_force({.actions = 14, .states = 3, .lanes = 3, .shared_states = true}, 60);
}

TEST_CASE("where entering states costs, plans count it and bounds hold", "[power]") {
  check_against_brute_force({.actions = 5, .costly_switches = true}, 100);
  check_against_brute_force({.actions = 8, .costly_switches = true}, 60);
}

TEST_CASE("ten thousand actions get states close to what is proved", "[power]") {
  for (const int lanes : {1, 4}) {
    const PowerProblem problem =
        random_power(lanes, {.actions = 10000, .states = 5, .lanes = lanes});
    const auto plan = choose_power(problem, {});
    REQUIRE(plan);
    CHECK(meets_deadline(problem, plan->price.seconds));
    CHECK(plan->price.joules <= plan->lower_bound * 1.001);
  }
}
