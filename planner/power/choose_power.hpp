// The states of least energy on a fixed order, within the deadline, and a bound that no choice of
// states on that order goes below.
//
// - Few groups (one state for each device of a run): all combinations.
// - Else the relaxation (power_relaxation.hpp): every action anywhere on the convex hull of its
//   choices, which is a linear program on a network; its times are rounded to choices that fit into
//   them, and what slack is left is used up in passes over the actions. Its value is the bound.
// - Branch and bound on that, for a counted amount of work: small problems are solved exactly,
//   larger ones keep the gap that is told.
//
// What entering a state costs is counted in every plan, but not in the bound. 10^4 actions take
// seconds. Deterministic.
#pragma once

#include <optional>

#include "planner/power/power_problem.hpp"

namespace stint {

struct PowerOptions {
  double limit = 10;  // units of search beyond the relaxation, each about a tenth of a second
};

struct PowerPlan {
  PowerChoices choices;  // by action
  PowerPrice price;
  double lower_bound = 0;   // joules; of every choice on this order
  bool is_optimal = false;  // to 1e-9
};

// Nothing if no choice meets the deadline.
std::optional<PowerPlan> choose_power(const PowerProblem& problem, const PowerOptions& options);

}  // namespace stint
