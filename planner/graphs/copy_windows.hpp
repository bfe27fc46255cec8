// Copies that take turns on a link, and what that says about the length of a step.
//
// Those that cannot begin before some time all lie between that time and the end of the step; as
// time may be read backwards, those that must have ended some time before the end likewise lie
// before it. A constraint for each such window, up to a number of them. (One machine with release
// times: Carlier 1982.) O(n log n).
#pragma once

#include <cstdint>
#include <vector>

#include "planner/solver/cp_sat.hpp"

namespace stint {

// All times at the price of a longer step.
struct TimedCopy {
  VariableId move{0};      // a boolean: whether it happens
  std::int64_t time = 0;   // that it takes
  std::int64_t begin = 0;  // before it can begin
};

// The step takes `least`, and `longer` more.
void fit_copies(std::vector<TimedCopy> copies, std::int64_t least, VariableId longer,
                CpModel& model);

}  // namespace stint
