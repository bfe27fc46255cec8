// Copies of the same elements in another order, or put together and taken apart along a dimension.
#include <cstring>

#include "executor/cpu/own/form_copies.hpp"
#include "executor/cpu/own/own_kernel.hpp"
#include "executor/cpu/own/strided_copy.hpp"

namespace stint {
namespace {

// Transposes, their gradients, reorders.
std::unique_ptr<CpuKernel> make_turn(const TaskKernel& kernel) {
  std::vector<StridedDimension> dimensions;
  for (const auto& [size, stride] : turned_dimensions(kernel)) dimensions.push_back({size, stride});
  return loop_kernel([copy = strided_copy_of(dimensions)](const KernelArguments& arguments) {
    run_copy(copy, read_at<std::uint32_t>(arguments, 0), write_at<std::uint32_t>(arguments, 0));
  });
}

// A version of a weight, as it lies there.
std::unique_ptr<CpuKernel> make_stash(const TaskKernel& kernel) {
  const auto bytes = static_cast<std::size_t>(element_count(kernel.writes[0])) * sizeof(float);
  return loop_kernel([bytes](const KernelArguments& arguments) {
    std::memcpy(arguments.writes[0], arguments.reads[0], bytes);
  });
}

// Tensors into a larger one, or out of it.
std::unique_ptr<CpuKernel> make_pieces(const TaskKernel& kernel) {
  return loop_kernel([all = form_pieces(kernel)](const KernelArguments& arguments) {
    for (std::int64_t run = 0; run < all.runs; ++run) {
      for (std::size_t i = 0; i < all.pieces.size(); ++i) {
        const auto [length, offset] = all.pieces[i];
        const std::int64_t in_whole = run * all.whole_run + offset;
        const auto bytes = static_cast<std::size_t>(length) * sizeof(float);
        if (all.joins)
          std::memcpy(write_at(arguments, 0) + in_whole, read_at(arguments, i) + run * length,
                      bytes);
        else
          std::memcpy(write_at(arguments, i) + run * length, read_at(arguments, 0) + in_whole,
                      bytes);
      }
    }
  });
}

constexpr OwnKernel kernels[] = {
    {"concat.forward", make_pieces},  {"concat.backward", make_pieces},
    {"split.forward", make_pieces},   {"split.backward", make_pieces},
    {"transpose.forward", make_turn}, {"transpose.backward", make_turn},
    {"reorder", make_turn},           {stash_op, make_stash}};

}  // namespace

OwnKernels form_kernels() { return kernels; }

}  // namespace stint
