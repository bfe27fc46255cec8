// Copies of the same elements in another order, or put together and taken apart along a dimension.
#include <cstring>

#include "executor/cpu/own/own_kernel.hpp"
#include "executor/cpu/own/strided_copy.hpp"
#include "files/input_error.hpp"

namespace stint {
namespace {

void expect_words(const TaskKernel& kernel) {
  if (bytes_of(kernel.writes[0].element) != sizeof(std::uint32_t))
    throw InputError(kernel.op, "elements of " + to_string(kernel.writes[0].element) +
                                    "; expected four bytes each");
}

std::unique_ptr<CpuKernel> make_strided_copy(const std::vector<StridedDimension>& dimensions) {
  return loop_kernel([copy = strided_copy_of(dimensions)](const KernelArguments& arguments) {
    run_copy(copy, read_at<std::uint32_t>(arguments, 0), write_at<std::uint32_t>(arguments, 0));
  });
}

// Dimension i of the output is dimension order[i] of the input.
std::unique_ptr<CpuKernel> make_permutation(const TaskKernel& kernel,
                                            const std::vector<std::int64_t>& order) {
  expect_words(kernel);
  const auto& shape = kernel.reads[0].shape;
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size() - 1; i-- > 0;) strides[i] = strides[i + 1] * shape[i + 1];
  std::vector<StridedDimension> dimensions;
  for (const std::int64_t from : order) dimensions.push_back({shape[from], strides[from]});
  return make_strided_copy(dimensions);
}

std::unique_ptr<CpuKernel> make_transpose(const TaskKernel& kernel) {
  return make_permutation(kernel, layer_of<Transpose>(kernel).order);
}

std::unique_ptr<CpuKernel> make_transpose_back(const TaskKernel& kernel) {
  const auto& order = layer_of<Transpose>(kernel).order;
  std::vector<std::int64_t> back(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) back[order[i]] = static_cast<std::int64_t>(i);
  return make_permutation(kernel, back);
}

std::unique_ptr<CpuKernel> make_reorder(const TaskKernel& kernel) {
  expect_words(kernel);
  const auto& shape = kernel.reads[0].shape;
  const std::int64_t pixels = shape[2] * shape[3];
  const std::int64_t sample = shape[1] * pixels;
  if (kernel.writes[0].channels_last)
    return make_strided_copy({{shape[0], sample}, {pixels, 1}, {shape[1], pixels}});
  return make_strided_copy({{shape[0], sample}, {shape[1], 1}, {pixels, shape[1]}});
}

// A version of a weight, as it lies there.
std::unique_ptr<CpuKernel> make_stash(const TaskKernel& kernel) {
  const auto bytes = static_cast<std::size_t>(element_count(kernel.writes[0])) * sizeof(float);
  return loop_kernel([bytes](const KernelArguments& arguments) {
    std::memcpy(arguments.writes[0], arguments.reads[0], bytes);
  });
}

// One of several tensors that together are a larger one: runs of `run_bytes`, `offset_bytes` into
// each run of the whole.
struct Piece {
  std::int64_t run_bytes = 0;
  std::int64_t offset_bytes = 0;
};

struct Pieces {
  std::int64_t runs = 0;
  std::int64_t whole_bytes = 0;  // of a run
  std::vector<Piece> pieces;
};

Pieces pieces_along(const TaskKernel& kernel, const KernelOperand& whole,
                    const std::vector<KernelOperand>& parts, std::int64_t axis) {
  expect_words(kernel);
  const ChannelView view = view_around(whole, axis);
  const std::int64_t bytes = view.inner * bytes_of(whole.element);
  Pieces all{.runs = view.outer, .whole_bytes = view.channels * bytes};
  std::int64_t offset_bytes = 0;
  for (const KernelOperand& part : parts) {
    const std::size_t at = axis < 0 ? part.shape.size() + axis : static_cast<std::size_t>(axis);
    all.pieces.push_back({part.shape[at] * bytes, offset_bytes});
    offset_bytes += all.pieces.back().run_bytes;
  }
  return all;
}

std::unique_ptr<CpuKernel> make_join(const TaskKernel& kernel, std::int64_t axis) {
  const Pieces all = pieces_along(kernel, kernel.writes[0], kernel.reads, axis);
  return loop_kernel([all](const KernelArguments& arguments) {
    std::byte* to = arguments.writes[0];
    for (std::int64_t run = 0; run < all.runs; ++run, to += all.whole_bytes) {
      for (std::size_t i = 0; i < all.pieces.size(); ++i) {
        const auto [bytes, offset] = all.pieces[i];
        std::memcpy(to + offset, arguments.reads[i] + run * bytes, bytes);
      }
    }
  });
}

std::unique_ptr<CpuKernel> make_taking_apart(const TaskKernel& kernel, std::int64_t axis) {
  const Pieces all = pieces_along(kernel, kernel.reads[0], kernel.writes, axis);
  return loop_kernel([all](const KernelArguments& arguments) {
    const std::byte* from = arguments.reads[0];
    for (std::int64_t run = 0; run < all.runs; ++run, from += all.whole_bytes) {
      for (std::size_t i = 0; i < all.pieces.size(); ++i) {
        const auto [bytes, offset] = all.pieces[i];
        std::memcpy(arguments.writes[i] + run * bytes, from + offset, bytes);
      }
    }
  });
}

std::unique_ptr<CpuKernel> make_concat(const TaskKernel& kernel) {
  return make_join(kernel, layer_of<Concat>(kernel).axis);
}
std::unique_ptr<CpuKernel> make_concat_back(const TaskKernel& kernel) {
  return make_taking_apart(kernel, layer_of<Concat>(kernel).axis);
}
std::unique_ptr<CpuKernel> make_split(const TaskKernel& kernel) {
  return make_taking_apart(kernel, layer_of<Split>(kernel).axis);
}
std::unique_ptr<CpuKernel> make_split_back(const TaskKernel& kernel) {
  return make_join(kernel, layer_of<Split>(kernel).axis);
}

constexpr OwnKernel kernels[] = {{"concat.forward", make_concat},
                                 {"concat.backward", make_concat_back},
                                 {"split.forward", make_split},
                                 {"split.backward", make_split_back},
                                 {"transpose.forward", make_transpose},
                                 {"transpose.backward", make_transpose_back},
                                 {"reorder", make_reorder},
                                 {stash_op, make_stash}};

}  // namespace

OwnKernels form_kernels() { return kernels; }

}  // namespace stint
