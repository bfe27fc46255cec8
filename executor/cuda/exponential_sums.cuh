// Sums of exponentials that neither overflow nor vanish: beside the largest exponent.
#pragma once

#include <cmath>

#include "executor/cuda/launch.cuh"

namespace stint {

// Σ exp(x − largest), and the largest; of nothing, −∞.
struct ExponentialSum {
  float largest;
  double sum;
};
__host__ __device__ inline ExponentialSum of_nothing() { return {-INFINITY, 0}; }
__host__ __device__ inline ExponentialSum with(ExponentialSum before, float x) {
  if (x > before.largest)
    return {x, before.sum * static_cast<double>(expf(before.largest - x)) + 1};
  return {before.largest, before.sum + static_cast<double>(expf(x - before.largest))};
}
__host__ __device__ inline ExponentialSum added(ExponentialSum left, ExponentialSum right) {
  if (left.sum == 0) return right;
  if (right.sum == 0) return left;
  if (left.largest < right.largest)
    return {right.largest,
            right.sum + left.sum * static_cast<double>(expf(left.largest - right.largest))};
  return {left.largest,
          left.sum + right.sum * static_cast<double>(expf(right.largest - left.largest))};
}

}  // namespace stint
