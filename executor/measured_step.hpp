// One replayed step in seconds from its begin, and whether it went as the schedule says.
#pragma once

#include <vector>

#include "executor/replay.hpp"
#include "schedules/lanes.hpp"

namespace stint {

// Of actions on devices that have a clock, what that clock showed.
struct MeasuredStep {
  double seconds = 0;                 // until the last action ended, by the host's clock
  std::vector<double> start_seconds;  // by action
  std::vector<double> action_seconds;
};

MeasuredStep measured_step(const StepTimes& times, double seconds_per_tick);

// Whether every action began only after all that happens before it had ended: what stands earlier
// in a list, and what its `after` names. Judged by the recorded times alone: of two actions on one
// device by its clock too, of a device's and another's by when the host enqueued them.
bool kept_order(const Schedule& schedule, const Lanes& lists, const StepTimes& times);

}  // namespace stint
