// How pictures and messages name what an action does, also in a schedule whose names do not
// resolve. describe_action and describe_buffer, for messages, are in schedule.hpp.
#pragma once

#include <string>
#include <vector>

#include "schedules/schedule.hpp"

namespace stint {

// `F2`, `copy x1`, `load x0`.
std::string label(const Schedule& schedule, const Action& action);

// By action: not the first execution of its task, in the order of the file.
std::vector<bool> recomputations(const Schedule& schedule);

// Bytes that a compute reads and writes, or that a copy or a load brings.
std::int64_t bytes_touched(const Schedule& schedule, const Action& action);

// The power state of a compute; nothing if it is none, runs on a link or names one that is not
// there.
const PowerState* power_state(const Schedule& schedule, const Action& action,
                              const std::vector<Worker>& workers);

}  // namespace stint
