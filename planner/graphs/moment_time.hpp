// What runs again, and copies, take of the time of a step in a master problem.
#pragma once

#include "planner/graphs/moment_model.hpp"

namespace stint {

void require_time(MomentModel& model);

}  // namespace stint
