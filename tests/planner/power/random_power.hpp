// Random problems of power states, for properties that hold for all of them.
#pragma once

#include <cstdint>

#include "planner/power/power_problem.hpp"

namespace stint {

struct RandomPowerOptions {
  int actions = 8;
  int states = 3;
  int lanes = 2;               // workers that take actions in turn
  bool shared_states = false;  // some groups have several actions
  bool costly_switches = false;
};

// Some have a deadline between the fastest and the slowest; the same seed gives the same problem.
PowerProblem random_power(std::uint64_t seed, const RandomPowerOptions& options);

}  // namespace stint
