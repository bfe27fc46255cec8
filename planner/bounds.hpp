// What no schedule can beat, each bound with its argument. They hold for every valid schedule:
// recomputing, offloading, overwriting, any order, any number of workers. `by` names the argument
// that won.
#pragma once

#include <string>

#include "planner/crowding.hpp"
#include "planner/problem.hpp"

namespace stint {

struct Bound {
  double value = 0;
  std::string by;
};

Bound time_bound(const Problem& problem);    // seconds
Bound energy_bound(const Problem& problem);  // joules

// Of the request's objective; with what crowding says of time, if it is given.
Bound objective_bound(const Problem& problem, const Crowding* crowding = nullptr);

}  // namespace stint
