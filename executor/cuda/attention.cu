// Scaled dot-product attention, one head of one sample at a time and some queries of it: products
// by cuBLAS, weights of scores by kernels of ours. Scores of as many queries stand in the workspace
// as on CPUs; backward makes them again from the logarithm of their sum.
// Reference: Dao et al., FlashAttention, 2022.
#include <algorithm>
#include <cmath>

#include "executor/cpu/own/head_sizes.hpp"
#include "executor/cpu/own/own_kernel.hpp"
#include "executor/cuda/gpu_kernel.hpp"
#include "executor/cuda/launch.cuh"
#include "models/training/effort.hpp"

namespace stint {
namespace {

// Queries of one head of one sample, and where they begin in each tensor.
struct QueryBlockAt {
  std::int64_t first = 0, rows = 0;
  std::int64_t q = 0, k = 0, v = 0, y = 0, log_sum = 0;
};
template <typename Visit>
void visit_query_blocks(const HeadSizes& s, Visit visit) {
  for (std::int64_t sample = 0; sample < s.samples; ++sample) {
    for (std::int64_t head = 0; head < s.heads; ++head) {
      for (std::int64_t first = 0; first < s.queries; first += attention_rows_at_once) {
        const std::int64_t row = sample * s.queries + first;
        visit(QueryBlockAt{.first = first,
                           .rows = std::min(attention_rows_at_once, s.queries - first),
                           .q = row * s.query_row() + head * s.width,
                           .k = sample * s.keys * s.query_row() + head * s.width,
                           .v = sample * s.keys * s.value_row() + head * s.out_width,
                           .y = row * s.value_row() + head * s.out_width,
                           .log_sum = (sample * s.heads + head) * s.queries + first});
      }
    }
  }
}

// Keys that a query sees.
__host__ __device__ inline std::int64_t seen_by(std::int64_t query, std::int64_t keys,
                                                bool causal) {
  return causal && query + 1 < keys ? query + 1 : keys;
}

// The largest score of a query and the sum of exponentials beyond it, then weights that sum to 1.
// Scores of keys that it does not see become zero.
struct LargestAndSum {
  float largest, sum;
};
struct WeighScores {
  using Sum = LargestAndSum;
  float* scores;
  float* log_sum;  // null: not kept
  std::int64_t first, keys;
  bool causal;
  __host__ __device__ Sum sum(std::int64_t row, int lane) const {
    const std::int64_t seen = seen_by(first + row, keys, causal);
    Sum all{-INFINITY, 0};
    for (std::int64_t i = lane; i < seen; i += lanes_of_row)
      all = merged(all, {scores[row * keys + i], 1});
    return all;
  }
  __host__ __device__ static Sum merged(Sum left, Sum right) {
    if (left.sum == 0) return right;
    if (right.sum == 0) return left;
    if (left.largest < right.largest)
      return {right.largest, right.sum + left.sum * expf(left.largest - right.largest)};
    return {left.largest, left.sum + right.sum * expf(right.largest - left.largest)};
  }
  __host__ __device__ void finish(std::int64_t row, Sum all, int lane) const {
    const std::int64_t seen = seen_by(first + row, keys, causal);
    const float inverse = 1.0F / all.sum;
    for (std::int64_t i = lane; i < keys; i += lanes_of_row) {
      float& score = scores[row * keys + i];
      score = i < seen ? expf(score - all.largest) * inverse : 0.0F;
    }
    if (lane == 0 && log_sum != nullptr) log_sum[row] = all.largest + logf(all.sum);
  }
};

// weights = exp(score − log sum); slopes = weights (dy vᵀ − dy · y).
struct SlopeScores {
  using Sum = OneSum;
  float* weights;
  float* slopes;
  const float* y;
  const float* dy;
  const float* log_sum;
  std::int64_t first, keys, out_row, out_width;
  bool causal;
  __host__ __device__ Sum sum(std::int64_t row, int lane) const {
    Sum mean{0};
    for (std::int64_t i = lane; i < out_width; i += lanes_of_row)
      mean.a += static_cast<double>(y[row * out_row + i] * dy[row * out_row + i]);
    return mean;
  }
  __host__ __device__ static Sum merged(Sum left, Sum right) { return added(left, right); }
  __host__ __device__ void finish(std::int64_t row, Sum mean, int lane) const {
    const std::int64_t seen = seen_by(first + row, keys, causal);
    for (std::int64_t i = lane; i < keys; i += lanes_of_row) {
      const std::int64_t at = row * keys + i;
      const float weight = i < seen ? expf(weights[at] - log_sum[row]) : 0.0F;
      weights[at] = weight;
      slopes[at] = i < seen ? weight * (slopes[at] - static_cast<float>(mean.a)) : 0.0F;
    }
  }
};

// scores[rows, keys] = scale q kᵀ
void multiply_scores(const GpuQueue& queue, const HeadSizes& s, const QueryBlockAt& at,
                     const float* q, const float* k, float* scores) {
  multiply(queue.blas, {.rows = s.keys, .columns = at.rows, .depth = s.width, .factor = s.scale},
           {k + at.k, true, s.query_row()}, {q + at.q, false, s.query_row()}, {scores, s.keys});
}

std::int64_t workspace_of(const HeadSizes& s, std::int64_t matrices) {
  const std::int64_t rows = std::min(attention_rows_at_once, s.queries);
  return matrices * rows * s.keys * bytes_of(Element::f32);
}

std::unique_ptr<LeafKernel> make_attention_forward(const TaskKernel& kernel,
                                                   const GpuQueue& queue) {
  const HeadSizes s = head_sizes(kernel);
  const bool keeps = kernel.writes.size() > 1;
  return gpu_kernel(
      [=](const KernelArguments& arguments) {
        auto* scores = reinterpret_cast<float*>(arguments.workspace);
        float* log_sums = keeps ? write_at(arguments, 1) : nullptr;
        visit_query_blocks(s, [&](const QueryBlockAt& at) {
          multiply_scores(queue, s, at, read_at(arguments, 0), read_at(arguments, 1), scores);
          float* log_sum = log_sums == nullptr ? nullptr : log_sums + at.log_sum;
          rows("attention weights", queue.stream, at.rows,
               {writes(scores, at.rows * s.keys), writes(log_sum, at.rows)},
               WeighScores{scores, log_sum, at.first, s.keys, s.causal});
          multiply(queue.blas, {s.out_width, at.rows, s.keys},
                   {read_at(arguments, 2) + at.v, false, s.value_row()}, {scores, false, s.keys},
                   {write_at(arguments, 0) + at.y, s.value_row()});
        });
      },
      workspace_of(s, 1), "cublas attention");
}

// dv += weightsᵀ dy, dk += scale slopesᵀ q, dq = scale slopes k.
void multiply_gradients(const GpuQueue& queue, const HeadSizes& s, const QueryBlockAt& at,
                        const KernelArguments& arguments, const float* weights,
                        const float* slopes) {
  const bool adds = at.first > 0;
  multiply(queue.blas, {.rows = s.out_width, .columns = s.keys, .depth = at.rows, .adds = adds},
           {read_at(arguments, 5) + at.y, false, s.value_row()}, {weights, true, s.keys},
           {write_at(arguments, 2) + at.v, s.value_row()});
  multiply(queue.blas,
           {.rows = s.width, .columns = s.keys, .depth = at.rows, .factor = s.scale, .adds = adds},
           {read_at(arguments, 0) + at.q, false, s.query_row()}, {slopes, true, s.keys},
           {write_at(arguments, 1) + at.k, s.query_row()});
  multiply(queue.blas, {.rows = s.width, .columns = at.rows, .depth = s.keys, .factor = s.scale},
           {read_at(arguments, 1) + at.k, false, s.query_row()}, {slopes, false, s.keys},
           {write_at(arguments, 0) + at.q, s.query_row()});
}

std::unique_ptr<LeafKernel> make_backward(const TaskKernel& kernel, const GpuQueue& queue) {
  const HeadSizes s = head_sizes(kernel);
  return gpu_kernel(
      [=](const KernelArguments& arguments) {
        auto* weights = reinterpret_cast<float*>(arguments.workspace);
        float* slopes = weights + std::min(attention_rows_at_once, s.queries) * s.keys;
        visit_query_blocks(s, [&](const QueryBlockAt& at) {
          multiply_scores(queue, s, at, read_at(arguments, 0), read_at(arguments, 1), weights);
          multiply(queue.blas, {s.keys, at.rows, s.out_width},
                   {read_at(arguments, 2) + at.v, true, s.value_row()},
                   {read_at(arguments, 5) + at.y, false, s.value_row()}, {slopes, s.keys});
          const SlopeScores now{weights,
                                slopes,
                                read_at(arguments, 3) + at.y,
                                read_at(arguments, 5) + at.y,
                                read_at(arguments, 4) + at.log_sum,
                                at.first,
                                s.keys,
                                s.value_row(),
                                s.out_width,
                                s.causal};
          const std::int64_t n = at.rows * s.keys;
          const std::int64_t span = (at.rows - 1) * s.value_row() + s.out_width;
          rows("attention slopes", queue.stream, at.rows,
               {writes(weights, n), writes(slopes, n), reads(now.y, span), reads(now.dy, span),
                reads(now.log_sum, at.rows)},
               now);
          multiply_gradients(queue, s, at, arguments, weights, slopes);
        });
      },
      workspace_of(s, 2), "cublas attention");
}

}  // namespace

GpuKernels gpu_attention_kernels() {
  static constexpr GpuKernel kernels[] = {{"attention.forward", make_attention_forward},
                                          {"attention.backward", make_backward}};
  return kernels;
}

}  // namespace stint
