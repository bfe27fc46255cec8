// Scaled dot-product attention, head by head and some rows of queries at a time, so that scores
// never leave the nearer caches. Backward computes them again from the logarithm of their sum.
// Reference: Dao et al., FlashAttention, 2022.
#include <algorithm>
#include <cmath>

#include "executor/cpu/own/lane_functions.hpp"
#include "executor/cpu/own/own_kernel.hpp"
#include "executor/cpu/own/small_products.hpp"
#include "models/training/effort.hpp"

namespace stint {
namespace {

struct HeadSizes {
  std::int64_t samples = 0;
  std::int64_t heads = 0;
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  std::int64_t padded_keys = 0;  // whole lanes
  std::int64_t width = 0;        // of a head
  std::int64_t out_width = 0;
  float scale = 1;
  bool causal = false;

  std::int64_t query_row() const { return heads * width; }
  std::int64_t value_row() const { return heads * out_width; }
  // Keys that the last of some queries sees.
  std::int64_t seen_by(std::int64_t query) const {
    return causal ? std::min(query + 1, keys) : keys;
  }
};

HeadSizes sizes_of(const TaskKernel& kernel) {
  const auto& layer = layer_of<Attention>(kernel);
  const auto& q = kernel.reads[0].shape;
  const auto& v = kernel.reads[2].shape;
  HeadSizes sizes{.samples = q[0], .heads = layer.heads, .queries = q[1], .keys = v[1]};
  sizes.padded_keys = (sizes.keys + lane_count - 1) / lane_count * lane_count;
  sizes.width = q[2] / layer.heads;
  sizes.out_width = v[2] / layer.heads;
  sizes.scale =
      static_cast<float>(layer.scale.value_or(1 / std::sqrt(static_cast<double>(sizes.width))));
  sizes.causal = layer.causal;
  return sizes;
}

// A head's rows of a sample, within rows of all heads.
struct Head {
  const float *q, *k, *v;
};

// transposed[column][row], rows padded with zeros.
void transpose_rows(const float* from, std::int64_t row_stride, std::int64_t columns,
                    const HeadSizes& sizes, float* transposed) {
  for (std::int64_t column = 0; column < columns; ++column) {
    float* to = transposed + column * sizes.padded_keys;
    for (std::int64_t row = 0; row < sizes.keys; ++row) to[row] = from[row * row_stride + column];
    std::fill(to + sizes.keys, to + sizes.padded_keys, 0.0F);
  }
}

// Rows of a block of queries, and the columns of scores that any of them sees, in whole lanes.
struct QueryBlock {
  std::int64_t first = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

template <typename Visit>
void visit_blocks(const HeadSizes& sizes, Visit visit) {
  for (std::int64_t first = 0; first < sizes.queries; first += attention_rows_at_once) {
    const std::int64_t rows = std::min(attention_rows_at_once, sizes.queries - first);
    const std::int64_t seen = sizes.seen_by(first + rows - 1);
    visit(QueryBlock{first, rows, (seen + lane_count - 1) / lane_count * lane_count});
  }
}

void compute_scores(const HeadSizes& sizes, const QueryBlock& block, const float* q,
                    const float* transposed_keys, float* scores) {
  multiply_matrices({block.rows, block.columns, sizes.width},
                    {q + block.first * sizes.query_row(), sizes.query_row(), 1}, transposed_keys,
                    sizes.padded_keys, scores, sizes.padded_keys, IntoResult::write);
}

// Scores of one query become weights that are to be divided by their sum; the logarithm of the sum
// of exponentials is returned. Those it does not see become zero.
float weigh_row(std::int64_t seen, std::int64_t columns, float scale, float* row, float& divisor) {
  const float largest = *std::max_element(row, row + seen) * scale;
  map_elements(seen, row, [=](auto load) { return exponential(load(row) * scale - largest); });
  std::fill(row + seen, row + columns, 0.0F);
  const auto sum = sum_elements<1>(seen, [=](auto load) { return std::array{load(row)}; });
  divisor = static_cast<float>(1 / sum[0]);
  return static_cast<float>(static_cast<double>(largest) + std::log(sum[0]));
}

void attend(const HeadSizes& sizes, const Head& head, float* y, float* log_sum, float* workspace) {
  float* keys = workspace;
  float* scores = keys + sizes.width * sizes.padded_keys;
  transpose_rows(head.k, sizes.query_row(), sizes.width, sizes, keys);
  visit_blocks(sizes, [&](const QueryBlock& block) {
    compute_scores(sizes, block, head.q, keys, scores);
    for (std::int64_t i = 0; i < block.rows; ++i) {
      float* row = scores + i * sizes.padded_keys;
      float divisor = 1;
      const std::int64_t query = block.first + i;
      const float log = weigh_row(sizes.seen_by(query), block.columns, sizes.scale, row, divisor);
      if (log_sum != nullptr) log_sum[query] = log;
      map_elements(block.columns, row, [=](auto load) { return load(row) * divisor; });
    }
    multiply_matrices({block.rows, sizes.out_width, std::min(block.columns, sizes.keys)},
                      {scores, sizes.padded_keys, 1}, head.v, sizes.value_row(),
                      y + block.first * sizes.value_row(), sizes.value_row(), IntoResult::write);
  });
}

// What backward is given and makes of one head.
struct HeadGradients {
  const float *y, *log_sum, *dy;
  float *dq, *dk, *dv;
};

// weights = exp(scale · score − log sum); slopes = weights (dy vᵀ − dy · y) scale.
void slope_row(const HeadSizes& sizes, std::int64_t query, std::int64_t columns,
               const HeadGradients& at, float* weights, float* slopes) {
  const float* y = at.y + query * sizes.value_row();
  const float* dy = at.dy + query * sizes.value_row();
  const float log = at.log_sum[query];
  const float scale = sizes.scale;
  const auto sums =
      sum_elements<1>(sizes.out_width, [=](auto load) { return std::array{load(y) * load(dy)}; });
  const auto mean = static_cast<float>(sums[0]);
  const std::int64_t seen = sizes.seen_by(query);
  map_elements(seen, weights, [=](auto load) { return exponential(load(weights) * scale - log); });
  map_elements(seen, slopes,
               [=](auto load) { return load(weights) * (load(slopes) - mean) * scale; });
  std::fill(weights + seen, weights + columns, 0.0F);
  std::fill(slopes + seen, slopes + columns, 0.0F);
}

void clear_rows(std::int64_t rows, std::int64_t row_stride, std::int64_t width, float* at) {
  for (std::int64_t i = 0; i < rows; ++i) std::fill_n(at + i * row_stride, width, 0.0F);
}

void attend_backward(const HeadSizes& sizes, const Head& head, const HeadGradients& at,
                     float* workspace) {
  float* keys = workspace;
  float* values = keys + sizes.width * sizes.padded_keys;
  float* weights = values + sizes.out_width * sizes.padded_keys;
  float* slopes = weights + attention_rows_at_once * sizes.padded_keys;
  const std::int64_t row = sizes.query_row();
  const std::int64_t out_row = sizes.value_row();
  transpose_rows(head.k, row, sizes.width, sizes, keys);
  transpose_rows(head.v, out_row, sizes.out_width, sizes, values);
  clear_rows(sizes.keys, row, sizes.width, at.dk);
  clear_rows(sizes.keys, out_row, sizes.out_width, at.dv);
  visit_blocks(sizes, [&](const QueryBlock& block) {
    const float* q = head.q + block.first * row;
    const float* dy = at.dy + block.first * out_row;
    const std::int64_t seen = std::min(block.columns, sizes.keys);
    compute_scores(sizes, block, head.q, keys, weights);
    multiply_matrices({block.rows, block.columns, sizes.out_width}, {dy, out_row, 1}, values,
                      sizes.padded_keys, slopes, sizes.padded_keys, IntoResult::write);
    for (std::int64_t i = 0; i < block.rows; ++i) {
      slope_row(sizes, block.first + i, block.columns, at, weights + i * sizes.padded_keys,
                slopes + i * sizes.padded_keys);
    }
    const StridedMatrix weights_by_key{weights, 1, sizes.padded_keys};
    const StridedMatrix slopes_by_key{slopes, 1, sizes.padded_keys};
    multiply_matrices({seen, sizes.out_width, block.rows}, weights_by_key, dy, out_row, at.dv,
                      out_row, IntoResult::add);
    multiply_matrices({seen, sizes.width, block.rows}, slopes_by_key, q, row, at.dk, row,
                      IntoResult::add);
    multiply_matrices({block.rows, sizes.width, seen}, {slopes, sizes.padded_keys, 1}, head.k, row,
                      at.dq + block.first * row, row, IntoResult::write);
  });
}

// Where a head of a sample begins in q (and k), and in v and y.
template <typename Visit>
void visit_heads(const HeadSizes& sizes, Visit visit) {
  for (std::int64_t sample = 0; sample < sizes.samples; ++sample) {
    for (std::int64_t head = 0; head < sizes.heads; ++head) visit(sample, head);
  }
}

struct HeadOffsets {
  std::int64_t q, k, v, y, log_sum;
};
HeadOffsets offsets_of(const HeadSizes& s, std::int64_t sample, std::int64_t head) {
  return {.q = sample * s.queries * s.query_row() + head * s.width,
          .k = sample * s.keys * s.query_row() + head * s.width,
          .v = sample * s.keys * s.value_row() + head * s.out_width,
          .y = sample * s.queries * s.value_row() + head * s.out_width,
          .log_sum = (sample * s.heads + head) * s.queries};
}

Head head_at(const KernelArguments& arguments, const HeadOffsets& at) {
  return {read_at(arguments, 0) + at.q, read_at(arguments, 1) + at.k, read_at(arguments, 2) + at.v};
}

std::unique_ptr<CpuKernel> make_forward(const TaskKernel& kernel) {
  const HeadSizes sizes = sizes_of(kernel);
  const bool keeps_log_sum = kernel.writes.size() > 1;
  return loop_kernel(
      [=](const KernelArguments& arguments) {
        visit_heads(sizes, [&](std::int64_t sample, std::int64_t head) {
          const HeadOffsets at = offsets_of(sizes, sample, head);
          attend(sizes, head_at(arguments, at), write_at(arguments, 0) + at.y,
                 keeps_log_sum ? write_at(arguments, 1) + at.log_sum : nullptr,
                 reinterpret_cast<float*>(arguments.workspace));
        });
      },
      attention_workspace_bytes(sizes.keys, sizes.width, 1));
}

std::unique_ptr<CpuKernel> make_backward(const TaskKernel& kernel) {
  const HeadSizes sizes = sizes_of(kernel);
  return loop_kernel(
      [=](const KernelArguments& arguments) {
        visit_heads(sizes, [&](std::int64_t sample, std::int64_t head) {
          const HeadOffsets at = offsets_of(sizes, sample, head);
          const HeadGradients gradients{.y = read_at(arguments, 3) + at.y,
                                        .log_sum = read_at(arguments, 4) + at.log_sum,
                                        .dy = read_at(arguments, 5) + at.y,
                                        .dq = write_at(arguments, 0) + at.q,
                                        .dk = write_at(arguments, 1) + at.k,
                                        .dv = write_at(arguments, 2) + at.v};
          attend_backward(sizes, head_at(arguments, at), gradients,
                          reinterpret_cast<float*>(arguments.workspace));
        });
      },
      attention_workspace_bytes(sizes.keys, sizes.width + sizes.out_width, 2));
}

constexpr OwnKernel kernels[] = {{"attention.forward", make_forward},
                                 {"attention.backward", make_backward}};

}  // namespace

OwnKernels attention_kernels() { return kernels; }

}  // namespace stint
