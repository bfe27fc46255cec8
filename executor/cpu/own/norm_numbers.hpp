// What batch norms compute of their statistics, [2, channels]: means, then variances.
#pragma once

#include <cmath>

namespace stint {

inline float inverse_deviation(float variance, double epsilon) {
  return static_cast<float>(1 / std::sqrt(static_cast<double>(variance) + epsilon));
}

}  // namespace stint
