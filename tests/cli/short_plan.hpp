// A plan that takes no time to run, made by the program `plan`.
#pragma once

#include <string>
#include <vector>

#include "tests/support/run_program.hpp"

namespace stint {

// A chain whose tasks take half a millisecond, planned for one worker; the plan's path.
std::string short_plan(const TemporaryFolder& folder, const std::string& seconds = "0.0005");

// The same on another of our machines, with options of `plan`.
std::string short_plan_for(const TemporaryFolder& folder, const std::string& seconds,
                           const std::string& platform, const std::vector<std::string>& options);

}  // namespace stint
