// What a fitted time model is still off by, as a correction (platforms/platform.hpp): points among
// the measured tasks, each with the factor that it and the tasks around it ask for.
//
// Points are chosen to lie far apart (Gonzalez 1985). How far a point tells of others, and how much
// it takes to move the model, are those of a few values that would have served best if every
// network in turn had not been seen: a correction that does not help on other networks is left out.
// Held-out steps are not looked at. O(tasks · points · widths tried).
#pragma once

#include <vector>

#include "executor/calibrate/observation.hpp"
#include "platforms/platform.hpp"

namespace stint {

// Of one op, by the observations that are not held out. No points where there is nothing to gain.
TimeCorrection fit_correction(const std::vector<Observation>& seen, const TimeModel& model);

}  // namespace stint
