// A large valid schedule made directly, without a planner: lanes of tasks on the workers of two
// devices that look at each other's results now and then, some of them through copies over links.
// Every lane reuses three addresses in turn, so almost every buffer lies over older ones, and state
// is read by all tasks of a lane and updated at the end.
#pragma once

#include "schedules/schedule.hpp"

namespace stint {

struct LargeScheduleOptions {
  int lanes = 8;            // even: the first half on the cpu, the others on the gpu
  int rounds_per_look = 8;  // every so many rounds a lane reads its neighbour's result
};

// About `actions` actions, more if that is too few for one look; each task is executed once.
Schedule large_schedule(int actions, const LargeScheduleOptions& options = {});

}  // namespace stint
