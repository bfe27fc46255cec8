// A step as a Paje trace, for ViTE and pj_dump: containers are nodes, their memories and links,
// their devices and the devices' workers; states are actions and idleness; variables are the live
// bytes of memories and the watts of nodes and devices. Times are in seconds, to the nanosecond.
//
// Paje has no way to write a quotation mark or a line break in a name: they become apostrophes and
// spaces.
#pragma once

#include <string>

#include "schedules/simulate.hpp"

namespace stint {

std::string paje_text(const Schedule& schedule, const Simulation& simulation);

}  // namespace stint
