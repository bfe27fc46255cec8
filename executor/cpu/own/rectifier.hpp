// A ReLU without slope, and its gradient, on lanes: the same for whoever computes it in one go with
// something else. What is not a number stays so.
#pragma once

#include <limits>

#include "executor/cpu/own/lanes.hpp"
#include "models/layers/layer.hpp"

namespace stint {

struct LaneRectifier {
  float min = 0;
  float max = 0;

  explicit LaneRectifier(const Relu& layer)
      : min(static_cast<float>(layer.min)),
        max(static_cast<float>(layer.max.value_or(std::numeric_limits<double>::infinity()))) {}

  Lanes of(Lanes x) const { return x <= min ? splat(min) : x >= max ? splat(max) : x; }
  // Of x, from dy and either x or of(x).
  Lanes gradient(Lanes kept, Lanes dy) const {
    return (kept <= min) | (kept >= max) ? Lanes{} : dy;
  }
};

}  // namespace stint
