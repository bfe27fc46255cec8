// A large valid schedule made directly, without a planner: lanes of tasks on the workers of two
// devices that look at each other's results now and then, some of them through copies over links.
// Every lane reuses three addresses in turn, so almost every buffer lies over older ones, and state
// is read by all tasks of a lane and updated at the end.
#pragma once

#include "schedules/schedule.hpp"

namespace stint {

// About `actions` actions (at least 66 are made), each task executed once.
Schedule large_schedule(int actions);

}  // namespace stint
