// A plan that takes no time to run, made by the program `plan`.
#pragma once

#include <string>

#include "tests/support/run_program.hpp"

namespace stint {

// A chain whose tasks take half a millisecond, planned for one worker; the plan's path.
std::string short_plan(const TemporaryFolder& folder, const std::string& seconds = "0.0005");

}  // namespace stint
