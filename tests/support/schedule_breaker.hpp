// Breaks schedules at random in one place, as bugs of planners and hands do: a wait forgotten, a
// buffer moved, actions swapped, dropped or repeated. Some of the results are still right.
#pragma once

#include <cstdint>
#include <string>

#include "schedules/schedule.hpp"

namespace stint {

// The same schedule and seed give the same damage. Returns what was done.
std::string break_schedule(Schedule& schedule, std::uint64_t seed);

}  // namespace stint
