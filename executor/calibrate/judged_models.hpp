// From what was measured on a device to its time models, one for every op, each with how good it is
// on shapes that it was not fitted to, next to how well the machine agrees with itself.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "executor/calibrate/observation.hpp"
#include "platforms/platform.hpp"

namespace stint {

// Medians over tasks of held-out steps of |predicted − measured| / measured.
struct ModelErrors {
  std::string op;  // "*" stands for all of them together, "step" for whole steps
  std::size_t shapes = 0;
  std::size_t held_out = 0;
  double error = 0;
  double uncorrected = 0;  // the error of the models without their corrections
  double noise_floor = 0;  // of the same measured twice
  double sigma = 0;        // root of the mean square of ln(measured / predicted)
  double alone = 1;        // seconds with the other cores at rest, as a share of those modelled
  double history = 0;      // errors of the models of known_models.hpp
  std::optional<double> power_law;  // of what it answers
  double power_law_answers = 0;     // as a share of the held-out shapes; of a step, of its seconds
};

struct JudgedModels {
  std::map<std::string, TimeModel> time_model;  // by op; "*" fitted to all
  std::vector<ModelErrors> errors;              // by op; then "*", and last "step"
};

// Ops with fewer fitted shapes get no model of their own.
inline constexpr std::size_t fewest_fitted_shapes = 5;

JudgedModels fit_and_judge(const std::vector<Observation>& seen,
                           const std::vector<std::int64_t>& knots);

}  // namespace stint
