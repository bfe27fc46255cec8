// The same elements elsewhere: concat, split, transpose, reorder, stash; rows of a table; and
// dropout, whose mask is a function of an element's logical position.
#include <algorithm>
#include <limits>
#include <vector>

#include "executor/cpu/own/dropout_mask.hpp"
#include "executor/cpu/own/form_copies.hpp"
#include "executor/cpu/own/own_kernel.hpp"
#include "executor/cuda/gpu_kernel.hpp"
#include "executor/cuda/launch.cuh"
#include "executor/cuda/listed_order.cuh"
#include "files/input_error.hpp"

namespace stint {
namespace {

using Word = std::uint32_t;

// to[i] = from[Σ index of dimension · stride], the last dimension being the innermost of `to`.
constexpr int most_dimensions = 6;
struct StridedCopyTo {
  const Word* from;
  Word* to;
  std::int64_t sizes[most_dimensions];
  std::int64_t strides[most_dimensions];
  __host__ __device__ void operator()(std::int64_t i) const {
    std::int64_t rest = i, at = 0;
    for (int d = most_dimensions; d-- > 0; rest /= sizes[d]) at += rest % sizes[d] * strides[d];
    to[i] = from[at];
  }
};

std::unique_ptr<LeafKernel> make_strided(const TaskKernel& kernel, const GpuQueue& queue,
                                         const std::vector<TurnedDimension>& dimensions) {
  if (dimensions.size() > most_dimensions)
    throw InputError(kernel.op, "more than six dimensions; expected fewer on GPUs");
  StridedCopyTo copy{};
  std::fill_n(copy.sizes, most_dimensions, 1);
  const std::size_t skipped = most_dimensions - dimensions.size();
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    copy.sizes[skipped + d] = dimensions[d].size;
    copy.strides[skipped + d] = dimensions[d].stride;
  }
  const std::int64_t n = element_count(kernel.writes[0]);
  return gpu_kernel([=, stream = queue.stream](const KernelArguments& arguments) {
    StridedCopyTo now = copy;
    now.from = read_at<Word>(arguments, 0);
    now.to = write_at<Word>(arguments, 0);
    elements("strided copy", stream, n, {reads(now.from, n), writes(now.to, n)}, now);
  });
}
std::unique_ptr<LeafKernel> make_turn(const TaskKernel& kernel, const GpuQueue& queue) {
  return make_strided(kernel, queue, turned_dimensions(kernel));
}
std::unique_ptr<LeafKernel> make_stash(const TaskKernel& kernel, const GpuQueue& queue) {
  return make_strided(kernel, queue, {{element_count(kernel.writes[0]), 1}});
}

// A piece of runs of a whole, `offset` into each.
struct PieceCopy {
  Word* part;
  Word* whole;
  std::int64_t run, whole_run, offset;
  bool joins;
  __host__ __device__ void operator()(std::int64_t i) const {
    Word& there = whole[i / run * whole_run + offset + i % run];
    if (joins)
      there = part[i];
    else
      part[i] = there;
  }
};

std::unique_ptr<LeafKernel> make_pieces(const TaskKernel& kernel, const GpuQueue& queue) {
  return gpu_kernel([all = form_pieces(kernel),
                     stream = queue.stream](const KernelArguments& arguments) {
    const std::int64_t whole_elements = all.runs * all.whole_run;
    for (std::size_t i = 0; i < all.pieces.size(); ++i) {
      const auto [run, offset] = all.pieces[i];
      const std::int64_t n = run * all.runs;
      const Word* const part =
          all.joins ? read_at<Word>(arguments, i) : write_at<Word>(arguments, i);
      const Word* const whole =
          all.joins ? write_at<Word>(arguments, 0) : read_at<Word>(arguments, 0);
      const PieceCopy now{
          const_cast<Word*>(part), const_cast<Word*>(whole), run, all.whole_run, offset, all.joins};
      if (all.joins)
        elements("concat", stream, n, {reads(part, n), writes(now.whole, whole_elements)}, now);
      else
        elements("split", stream, n, {writes(now.part, n), reads(whole, whole_elements)}, now);
    }
  });
}

// A number that is no row gives rows that are not numbers, and no gradient.
struct RowsOfTable {
  const float* table;
  const std::int32_t* numbers;
  float* y;
  std::int64_t entries, width;
  __host__ __device__ void operator()(std::int64_t i) const {
    const std::int64_t row = numbers[i / width];
    y[i] = row >= 0 && row < entries ? table[row * width + i % width] : NAN;
  }
};
// One column: gradients of a row are added up in the order of the numbers.
struct ColumnOfGradient {
  const std::int32_t* numbers;
  const float* dy;
  float* gradient;
  std::int64_t entries, width, chosen;
  __host__ __device__ void operator()(std::int64_t column) const {
    for (std::int64_t row = 0; row < entries; ++row) gradient[row * width + column] = 0;
    for (std::int64_t i = 0; i < chosen; ++i) {
      const std::int64_t row = numbers[i];
      if (row >= 0 && row < entries) gradient[row * width + column] += dy[i * width + column];
    }
  }
};

struct TableSizes {
  std::int64_t entries, width, chosen;
};
TableSizes table_sizes(const KernelOperand& table, const KernelOperand& numbers) {
  return {table.shape[0], table.shape[1], element_count(numbers)};
}
std::unique_ptr<LeafKernel> make_embedding(const TaskKernel& kernel, const GpuQueue& queue) {
  const std::size_t table = kernel.reads[0].element == Element::f32 ? 0 : 1;
  const auto [entries, width, chosen] = table_sizes(kernel.reads[table], kernel.reads[1 - table]);
  return gpu_kernel([=, entries = entries, width = width, chosen = chosen,
                     stream = queue.stream](const KernelArguments& arguments) {
    const RowsOfTable now{read_at(arguments, table), read_at<std::int32_t>(arguments, 1 - table),
                          write_at(arguments, 0), entries, width};
    const std::int64_t n = chosen * width;
    elements("embedding", stream, n,
             {reads(now.table, entries * width), reads(now.numbers, chosen), writes(now.y, n)},
             now);
  });
}
std::unique_ptr<LeafKernel> make_embedding_gradient(const TaskKernel& kernel,
                                                    const GpuQueue& queue) {
  const auto [entries, width, chosen] = table_sizes(kernel.writes[0], kernel.reads[0]);
  return gpu_kernel([=, entries = entries, width = width, chosen = chosen,
                     stream = queue.stream](const KernelArguments& arguments) {
    const ColumnOfGradient now{read_at<std::int32_t>(arguments, 0),
                               read_at(arguments, 1),
                               write_at(arguments, 0),
                               entries,
                               width,
                               chosen};
    elements("embedding gradient", stream, width,
             {reads(now.numbers, chosen), reads(now.dy, chosen * width),
              writes(now.gradient, entries * width)},
             now);
  });
}

// The bits of dropout_mask.hpp, one at a time.
struct DropOut {
  const float* x;
  float* y;
  std::uint64_t first;
  ListedOrder order;
  std::uint32_t key, high_key, dropped_below;
  float factor;
  __host__ __device__ void operator()(std::int64_t i) const {
    const std::uint64_t where = first + static_cast<std::uint64_t>(order.listed(i));
    auto bits = static_cast<std::uint32_t>(where);
    std::uint32_t high = static_cast<std::uint32_t>(where >> 32) ^ high_key, word = key;
    for (int round = 0; round < 10; ++round, word += 0x9e3779b9U) {
      const std::uint64_t product = std::uint64_t{0xd256d193U} * bits;
      bits = static_cast<std::uint32_t>(product >> 32) ^ word ^ high;
      high = static_cast<std::uint32_t>(product);
    }
    y[i] = x[i] * (bits < dropped_below ? 0.0F : factor);
  }
};
std::unique_ptr<LeafKernel> make_dropout(const TaskKernel& kernel, const GpuQueue& queue) {
  const auto& layer = layer_of<Dropout>(kernel);
  const KernelOperand& image = kernel.reads[0];
  const std::int64_t n = element_count(image);
  DropOut drop{};
  drop.order = listed_order(image);
  drop.dropped_below = dropped_below(layer.probability);
  drop.factor = static_cast<float>(1 / (1 - layer.probability));
  return gpu_kernel([=, seed = layer.seed, per_sample = n / kernel.samples,
                     stream = queue.stream](const KernelArguments& arguments) {
    DropOut now = drop;
    const PhiloxKey key = dropout_key(arguments.seed, seed, arguments.step);
    now.key = key.key;
    now.high_key = key.high;
    now.first = static_cast<std::uint64_t>(arguments.first_sample * per_sample);
    now.x = read_at(arguments, 0);
    now.y = write_at(arguments, 0);
    elements("dropout", stream, n, {reads(now.x, n), writes(now.y, n)}, now);
  });
}

}  // namespace

GpuKernels gpu_form_kernels() {
  static constexpr GpuKernel kernels[] = {{"concat.forward", make_pieces},
                                          {"concat.backward", make_pieces},
                                          {"split.forward", make_pieces},
                                          {"split.backward", make_pieces},
                                          {"transpose.forward", make_turn},
                                          {"transpose.backward", make_turn},
                                          {"reorder", make_turn},
                                          {stash_op, make_stash},
                                          {"embedding.forward", make_embedding},
                                          {"embedding.backward_weights", make_embedding_gradient},
                                          {"dropout.forward", make_dropout},
                                          {"dropout.backward", make_dropout}};
  return kernels;
}

}  // namespace stint
