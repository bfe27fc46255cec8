// A schedule for SimGrid (simgrid.org), which then gives a second opinion on its time and energy: a
// platform in SimGrid's own format, and a script that the program simgrid_replay follows, an actor
// for every worker and link. README.md, "A second opinion", says what becomes what.
//
// Neither contains a time at which anything starts, nor any joules: those are for SimGrid to find.
// What it cannot express is left out: joules of waiting and switching, seconds of switching.
//
// Needs a schedule that can be simulated. Linear in its size.
#pragma once

#include <string>

#include "schedules/schedule.hpp"

namespace stint {

struct SimgridFiles {
  std::string platform;  // platform.xml
  std::string replay;    // replay.txt
};
SimgridFiles simgrid_files(const Schedule& schedule);

std::string simgrid_platform(const Platform& platform);
std::string simgrid_replay(const Schedule& schedule);

}  // namespace stint
