// Power states on a fixed order, as a problem of its own: actions that wait for each other, each of
// them in one of several states that trade seconds for joules; what is always on costs watts for
// as long as all of it takes; a deadline may bound that. Nothing here knows of memory, devices or
// schedules: whoever fixes an order says what a state costs (schedule_power.hpp does it for
// schedules), so that also plans that are not yet schedules can be asked about.
//
// The problem is the discrete time-cost trade-off of project scheduling (Kelley 1961; Phillips and
// Dessouky 1977; used for clocks of GPUs in pipelines by Perseus, SOSP 2024).
#pragma once

#include <optional>
#include <vector>

namespace stint {

// What an action takes in one state; joules without those of what is always on.
struct PowerChoice {
  double seconds = 0;
  double joules = 0;
};

inline constexpr int no_power_group = -1;
inline constexpr int no_power_unit = -1;

struct PowerAction {
  std::vector<PowerChoice> choices;  // at least one
  std::vector<int> after;            // earlier actions that must have ended
  int group = no_power_group;        // actions of a group take the same choice; none: the first
  int unit = no_power_unit;          // what enters another state between its actions
};

// A worker, or a device whose workers share a state; steps repeat, so it begins in the state in
// which it ends. By choice what entering it takes.
struct PowerUnit {
  std::vector<PowerChoice> entering;
};

struct PowerProblem {
  std::vector<PowerAction> actions;  // each after all that it waits for
  int groups = 0;                    // none is empty; its actions have equally many choices
  std::vector<PowerUnit> units;
  double watts = 0;         // of every second until the last action has ended
  double fixed_joules = 0;  // whatever is chosen
  std::optional<double> deadline_seconds;
};

// By action, the index of its choice.
using PowerChoices = std::vector<int>;

struct PowerPrice {
  double seconds = 0;  // until the last action has ended
  double joules = 0;   // with everything
};

// Every action starts as soon as it can. O(actions + what they wait for).
PowerPrice price(const PowerProblem& problem, const PowerChoices& choices);

// By action: when it starts at the soonest, and how long it takes from its end to the end of all,
// both without entering states. `seconds` by action.
struct PowerTimes {
  std::vector<double> start;
  std::vector<double> rest;
  double seconds = 0;
};
PowerTimes power_times(const PowerProblem& problem, const std::vector<double>& seconds);

// By group its actions.
std::vector<std::vector<int>> power_groups(const PowerProblem& problem);

// Whether entering a state takes or costs anything.
bool switches_cost(const PowerProblem& problem);

// To rounding: as everywhere between a prediction and a bound.
bool meets_deadline(const PowerProblem& problem, double seconds);

}  // namespace stint
