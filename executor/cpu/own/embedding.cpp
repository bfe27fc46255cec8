// Rows of a table, chosen by numbers. A number that is no row reads as not a number and adds to no
// gradient: a step cannot be stopped, but the fault is seen.
#include <algorithm>
#include <limits>

#include "executor/cpu/own/lanes.hpp"
#include "executor/cpu/own/own_kernel.hpp"

namespace stint {
namespace {

struct TableSizes {
  std::int64_t entries = 0;
  std::int64_t width = 0;
  std::int64_t chosen = 0;
  bool has(std::int32_t row) const { return row >= 0 && row < entries; }
};

TableSizes sizes_of(const KernelOperand& table, const KernelOperand& rows) {
  return {table.shape[0], table.shape[1], element_count(rows)};
}

std::unique_ptr<CpuKernel> make_forward(const TaskKernel& kernel) {
  return loop_kernel(
      [sizes = sizes_of(kernel.reads[0], kernel.reads[1])](const KernelArguments& arguments) {
        const float* table = read_at(arguments, 0);
        const auto* rows = read_at<std::int32_t>(arguments, 1);
        float* y = write_at(arguments, 0);
        for (std::int64_t i = 0; i < sizes.chosen; ++i, y += sizes.width) {
          if (sizes.has(rows[i]))
            std::copy_n(table + rows[i] * sizes.width, sizes.width, y);
          else
            std::fill_n(y, sizes.width, std::numeric_limits<float>::quiet_NaN());
        }
      });
}

// In the order of the numbers, which is thus the order in which gradients of a row are added up.
std::unique_ptr<CpuKernel> make_backward_weights(const TaskKernel& kernel) {
  return loop_kernel(
      [sizes = sizes_of(kernel.writes[0], kernel.reads[0])](const KernelArguments& arguments) {
        const auto* rows = read_at<std::int32_t>(arguments, 0);
        const float* dy = read_at(arguments, 1);
        float* gradient = write_at(arguments, 0);
        std::fill_n(gradient, sizes.entries * sizes.width, 0.0F);
        for (std::int64_t i = 0; i < sizes.chosen; ++i, dy += sizes.width) {
          if (!sizes.has(rows[i])) continue;
          float* row = gradient + rows[i] * sizes.width;
          map_elements(sizes.width, row, [=](auto load) { return load(row) + load(dy); });
        }
      });
}

constexpr OwnKernel kernels[] = {{"embedding.forward", make_forward},
                                 {"embedding.backward_weights", make_backward_weights}};

}  // namespace

OwnKernels embedding_kernels() { return kernels; }

}  // namespace stint
