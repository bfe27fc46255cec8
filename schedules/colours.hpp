// The colours of pictures: one for every phase of a step, and for what is no task. Light enough for
// black text, and apart for most colour-blind eyes.
#pragma once

#include <string>

#include "schedules/schedule.hpp"

namespace stint {

std::string colour_of(Phase phase);  // #rrggbb

// The phase's colour, darker for a recomputation; for copies and loads their own.
std::string colour_of(const Schedule& schedule, const Action& action, bool again);

// The same colour as Paje writes it: three fractions.
std::string paje_colour(const std::string& colour);

}  // namespace stint
