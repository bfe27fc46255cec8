// What every program does with bad input and misuse: one line, exit code 2.
#pragma once

#include <string>

#include "tests/support/run_program.hpp"

namespace stint {

// Fails the running test unless it was refused, in words that contain `mention`.
void require_refused(const Ran& ran, const std::string& mention);

}  // namespace stint
