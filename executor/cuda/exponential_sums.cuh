// Sums of exponentials that neither overflow nor vanish: beside the largest exponent; and the rows
// of a tensor that they are sums over.
#pragma once

#include <cmath>
#include <cstdint>

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

// What lies along one dimension of a tensor: a row for every place in the others.
struct StridedRows {
  std::int64_t outer, length, stride;
  __host__ __device__ std::int64_t count() const { return outer * stride; }
  __host__ __device__ std::int64_t at(std::int64_t row, std::int64_t i) const {
    return (row / stride * length + i) * stride + row % stride;
  }
  std::int64_t elements() const { return count() * length; }
};
// A lane's part of the sum over a row.
__host__ __device__ inline ExponentialSum lane_sum(const float* x, const StridedRows& rows,
                                                   std::int64_t row, int lane) {
  ExponentialSum sum = of_nothing();
  for (std::int64_t i = lane; i < rows.length; i += lanes_of_row)
    sum = with(sum, x[rows.at(row, i)]);
  return sum;
}

}  // namespace stint
