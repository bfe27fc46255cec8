// What a plan takes of the memory in a master problem: at every moment, and while some tasks run
// between two of them.
#pragma once

#include "planner/graphs/moment_model.hpp"

namespace stint {

void require_memory(MomentModel& model);

}  // namespace stint
