// Under which conditions this machine was measured, as far as it tells: the day, the system, who
// chooses frequencies, how warm it is, what else was running.
#pragma once

#include <string>

namespace stint {

std::string conditions_here();

}  // namespace stint
