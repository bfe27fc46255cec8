// For schedules that are put together directly, without a planner: adds what follows from the rest.
#pragma once

#include <string>

#include "schedules/schedule.hpp"

namespace stint {

// The graph becomes the model, under that name; hashes and the prediction are computed, and the
// proof says that nothing is proved. Arenas must be there.
void seal(Schedule& schedule, const std::string& name);

}  // namespace stint
