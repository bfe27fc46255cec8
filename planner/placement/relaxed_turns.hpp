// Turns on devices in the relaxed placement, which otherwise lets a device do several things at
// once: only for what a solution of it does at once.
//
// Of two tasks that overlap on a device of one worker, one ends before the other begins (the
// disjunctions of Balas 1969, with a boolean for each order, and how far they may overlap otherwise
// from the longest paths before and after them). And where more work lies between two tasks than
// the time between them, each device's part of it fits (as in relaxed_work.hpp, for any two).
// Turns of all pairs are too many for a solver: some hundred booleans already take minutes. So
// these constraints are added in rounds, for what the solution before does at once.
//
// Cost: a row for every two tasks of which one depends on the other, each summed over the tasks
// between; of 100 tasks a million additions for a solution.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "planner/placement/relaxed_placement.hpp"

namespace stint {

struct RelaxedTurns {
  std::set<std::pair<TaskId, TaskId>> pairs;  // one after the other where they share a device
  std::set<std::pair<TaskId, TaskId>> ends;   // of work between: as in WorkBetween
};

// Adds to the turns those that a solution does not respect; whether there are any. Its times may
// be wrong by a ten-thousandth of the horizon, which is more than any rounding.
bool add_missing_turns(const RelaxedPlacement& relaxed, const CpAnswer& answer,
                       RelaxedTurns& turns);

// Constrains the relaxation to these turns; nothing ends after `latest`.
void add_turns_to(RelaxedPlacement& relaxed, const RelaxedTurns& turns, std::int64_t latest);

}  // namespace stint
