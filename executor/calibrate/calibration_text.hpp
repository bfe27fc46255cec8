// What a calibration found, for people and for programs.
#pragma once

#include <string>

#include "executor/calibrate/calibrate.hpp"

namespace stint {

// A few lines: what was measured, and how good it is.
std::string calibration_text(const Calibration& calibration);

// A table by op: errors of our models and of known ones on held-out shapes, and the noise floor.
std::string comparison_text(const Calibration& calibration);

// The same as one JSON object.
std::string calibration_json(const Calibration& calibration);

}  // namespace stint
