// Scaled dot-product attention, some queries of a sample at a time: products by cuBLAS, weights of
// scores by kernels of ours. Scores of so many queries stand in the workspace: of all heads, or,
// where a plan has no room for these, of one head and as many queries as on CPUs. Backward makes
// them again from the logarithm of their sum.
// Reference: Dao et al., FlashAttention, 2022.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "executor/cpu/own/head_sizes.hpp"
#include "executor/cpu/own/own_kernel.hpp"
#include "executor/cuda/gpu_kernel.hpp"
#include "executor/cuda/launch.cuh"
#include "models/training/effort.hpp"
#include "models/training/gpu_workspace.hpp"

namespace stint {
namespace {

// How much is taken at once.
struct AttentionWay {
  std::int64_t heads = 1;
  std::int64_t rows = 1;  // queries of each
  std::string_view algorithm;
  std::int64_t scores(const HeadSizes& s) const { return heads * rows * s.keys; }
};
AttentionWay attention_way(const HeadSizes& s, int way) {
  if (way == 0) return {s.heads, std::min(gpu_attention_rows, s.queries), gpu_attention_algorithm};
  return {1, std::min(attention_rows_at_once, s.queries), "cublas attention by head"};
}

// Queries of some heads of one sample, and where they begin in each tensor.
struct QueryBlockAt {
  std::int64_t first = 0, rows = 0, heads = 0;
  std::int64_t q = 0, k = 0, v = 0, y = 0, log_sum = 0;
};
template <typename Visit>
void visit_query_blocks(const HeadSizes& s, const AttentionWay& way, Visit visit) {
  for (std::int64_t sample = 0; sample < s.samples; ++sample) {
    for (std::int64_t head = 0; head < s.heads; head += way.heads) {
      for (std::int64_t first = 0; first < s.queries; first += way.rows) {
        const std::int64_t row = sample * s.queries + first;
        visit(QueryBlockAt{.first = first,
                           .rows = std::min(way.rows, s.queries - first),
                           .heads = way.heads,
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
  std::int64_t first, rows, queries, keys;
  bool causal;
  __host__ __device__ Sum sum(std::int64_t row, int lane) const {
    const std::int64_t seen = seen_by(first + row % rows, keys, causal);
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
    const std::int64_t seen = seen_by(first + row % rows, keys, causal);
    const float inverse = 1.0F / all.sum;
    for (std::int64_t i = lane; i < keys; i += lanes_of_row) {
      float& score = scores[row * keys + i];
      score = i < seen ? expf(score - all.largest) * inverse : 0.0F;
    }
    if (lane == 0 && log_sum != nullptr)
      log_sum[row / rows * queries + row % rows] = all.largest + logf(all.sum);
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
  std::int64_t first, rows, queries, keys, out_row, out_width;
  bool causal;
  __host__ __device__ Sum sum(std::int64_t row, int lane) const {
    const std::int64_t at = row / rows * out_width + row % rows * out_row;
    Sum mean{0};
    for (std::int64_t i = lane; i < out_width; i += lanes_of_row)
      mean.a += static_cast<double>(y[at + i] * dy[at + i]);
    return mean;
  }
  __host__ __device__ static Sum merged(Sum left, Sum right) { return added(left, right); }
  __host__ __device__ void finish(std::int64_t row, Sum mean, int lane) const {
    const std::int64_t seen = seen_by(first + row % rows, keys, causal);
    const float log_of_sum = log_sum[row / rows * queries + row % rows];
    for (std::int64_t i = lane; i < keys; i += lanes_of_row) {
      const std::int64_t at = row * keys + i;
      const float weight = i < seen ? expf(weights[at] - log_of_sum) : 0.0F;
      weights[at] = weight;
      slopes[at] = i < seen ? weight * (slopes[at] - static_cast<float>(mean.a)) : 0.0F;
    }
  }
};

// Matrices of heads, one behind the other, as cuBLAS counts them.
BlasFactor of_heads(const float* at, bool transposed, std::int64_t row, std::int64_t width) {
  return {at, transposed, row, width};
}
BlasFactor of_scores(const float* scores, bool transposed, const HeadSizes& s,
                     const QueryBlockAt& at) {
  return {scores, transposed, s.keys, at.rows * s.keys};
}

// scores[rows, keys] = scale q kᵀ
void multiply_scores(const GpuQueue& queue, const HeadSizes& s, const QueryBlockAt& at,
                     const float* q, const float* k, float* scores) {
  multiply(queue.blas,
           {.rows = s.keys,
            .columns = at.rows,
            .depth = s.width,
            .matrices = at.heads,
            .factor = s.scale},
           of_heads(k + at.k, true, s.query_row(), s.width),
           of_heads(q + at.q, false, s.query_row(), s.width), {scores, s.keys, at.rows * s.keys});
}

std::unique_ptr<LeafKernel> make_attention_forward(const TaskKernel& kernel,
                                                   const GpuQueue& queue) {
  const HeadSizes s = head_sizes(kernel);
  const AttentionWay way = attention_way(s, queue.way);
  const bool keeps = kernel.writes.size() > 1;
  return gpu_kernel(
      [=](const KernelArguments& arguments) {
        auto* scores = reinterpret_cast<float*>(arguments.workspace);
        float* log_sums = keeps ? write_at(arguments, 1) : nullptr;
        visit_query_blocks(s, way, [&](const QueryBlockAt& at) {
          multiply_scores(queue, s, at, read_at(arguments, 0), read_at(arguments, 1), scores);
          float* log_sum = log_sums == nullptr ? nullptr : log_sums + at.log_sum;
          rows("attention weights", queue.stream, at.heads * at.rows,
               {writes(scores, at.heads * at.rows * s.keys),
                writes(log_sum, (at.heads - 1) * s.queries + at.rows)},
               WeighScores{scores, log_sum, at.first, at.rows, s.queries, s.keys, s.causal});
          multiply(queue.blas,
                   {.rows = s.out_width, .columns = at.rows, .depth = s.keys, .matrices = at.heads},
                   of_heads(read_at(arguments, 2) + at.v, false, s.value_row(), s.out_width),
                   of_scores(scores, false, s, at),
                   {write_at(arguments, 0) + at.y, s.value_row(), s.out_width});
        });
      },
      way.scores(s) * bytes_of(Element::f32), way.algorithm);
}

// dv += weightsᵀ dy, dk += scale slopesᵀ q, dq = scale slopes k.
void multiply_gradients(const GpuQueue& queue, const HeadSizes& s, const QueryBlockAt& at,
                        const KernelArguments& arguments, const float* weights,
                        const float* slopes) {
  const bool adds = at.first > 0;
  multiply(queue.blas,
           {.rows = s.out_width,
            .columns = s.keys,
            .depth = at.rows,
            .matrices = at.heads,
            .adds = adds},
           of_heads(read_at(arguments, 5) + at.y, false, s.value_row(), s.out_width),
           of_scores(weights, true, s, at),
           {write_at(arguments, 2) + at.v, s.value_row(), s.out_width});
  multiply(queue.blas,
           {.rows = s.width,
            .columns = s.keys,
            .depth = at.rows,
            .matrices = at.heads,
            .factor = s.scale,
            .adds = adds},
           of_heads(read_at(arguments, 0) + at.q, false, s.query_row(), s.width),
           of_scores(slopes, true, s, at), {write_at(arguments, 1) + at.k, s.query_row(), s.width});
  multiply(queue.blas,
           {.rows = s.width,
            .columns = at.rows,
            .depth = s.keys,
            .matrices = at.heads,
            .factor = s.scale},
           of_heads(read_at(arguments, 1) + at.k, false, s.query_row(), s.width),
           of_scores(slopes, false, s, at),
           {write_at(arguments, 0) + at.q, s.query_row(), s.width});
}

std::unique_ptr<LeafKernel> make_backward(const TaskKernel& kernel, const GpuQueue& queue) {
  const HeadSizes s = head_sizes(kernel);
  const AttentionWay way = attention_way(s, queue.way);
  return gpu_kernel(
      [=](const KernelArguments& arguments) {
        auto* weights = reinterpret_cast<float*>(arguments.workspace);
        float* slopes = weights + way.scores(s);
        visit_query_blocks(s, way, [&](const QueryBlockAt& at) {
          multiply_scores(queue, s, at, read_at(arguments, 0), read_at(arguments, 1), weights);
          multiply(queue.blas,
                   {.rows = s.keys, .columns = at.rows, .depth = s.out_width, .matrices = at.heads},
                   of_heads(read_at(arguments, 2) + at.v, true, s.value_row(), s.out_width),
                   of_heads(read_at(arguments, 5) + at.y, false, s.value_row(), s.out_width),
                   {slopes, s.keys, at.rows * s.keys});
          const SlopeScores now{weights,
                                slopes,
                                read_at(arguments, 3) + at.y,
                                read_at(arguments, 5) + at.y,
                                read_at(arguments, 4) + at.log_sum,
                                at.first,
                                at.rows,
                                s.queries,
                                s.keys,
                                s.value_row(),
                                s.out_width,
                                s.causal};
          const std::int64_t n = at.heads * at.rows * s.keys;
          const std::int64_t span = (at.rows - 1) * s.value_row() + at.heads * s.out_width;
          rows("attention slopes", queue.stream, at.heads * at.rows,
               {writes(weights, n), writes(slopes, n), reads(now.y, span), reads(now.dy, span),
                reads(now.log_sum, (at.heads - 1) * s.queries + at.rows)},
               now);
          multiply_gradients(queue, s, at, arguments, weights, slopes);
        });
      },
      2 * way.scores(s) * bytes_of(Element::f32), way.algorithm);
}

}  // namespace

GpuKernels gpu_attention_kernels() {
  static constexpr GpuKernel kernels[] = {{"attention.forward", make_attention_forward, 2},
                                          {"attention.backward", make_backward, 2}};
  return kernels;
}

}  // namespace stint
