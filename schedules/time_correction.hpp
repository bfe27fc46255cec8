// What a time model is off by where tasks were measured, carried over to tasks that are like them:
// the mean of measured factors, weighted by a Gaussian of the distance in the logarithms of
// features, and drawn towards 1 where little was measured (TimeCorrection in platforms/platform.hpp
// has the formula).
//
// It sees what a task is, not where it stands, so the order of a plan does not change it; and it
// stays between the factors that were measured, so nothing becomes negative or infinite, and far
// from all measurements the bare model speaks. Reference: Nadaraya 1964, Watson 1964. O(points ·
// features).
#pragma once

#include <string>

#include "models/graph.hpp"
#include "platforms/platform.hpp"

namespace stint {

// What a time model counts of a task: 1 for "constant", its flops, bytes or one of its features.
double task_feature(const Task& task, const std::string& name);

// By which the seconds that the model's terms give the task are multiplied.
double correction_factor(const Task& task, const TimeCorrection& correction);

}  // namespace stint
