#include "models/training/pinned_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "files/input_error.hpp"
#include "models/training/weight_order.hpp"

namespace stint {
namespace {

auto key_of(const PinnedKernel& kernel) { return std::tie(kernel.op, kernel.shape, kernel.device); }

void check(const std::vector<PinnedKernel>& kernels, std::size_t i) {
  const std::string where = fmt::format("/lowering/kernels/{}", i);
  const PinnedKernel& kernel = kernels[i];
  if (i > 0 && key_of(kernels[i - 1]) >= key_of(kernel))
    throw InputError(where, "not after the one before it; expected ascending op, shape, device");
  if (kernel.workspace_bytes < 0)
    throw InputError(where + "/workspace_bytes",
                     fmt::format("{}; expected 0 or more", kernel.workspace_bytes));
  if (!kernel.weight_order.empty() && !parse_weight_order(kernel.weight_order))
    throw InputError(where + "/weight_order",
                     fmt::format("{}; expected an order such as \"64x64x3x3 ABcd16b16a\"",
                                 in_quotes(kernel.weight_order)));
}

}  // namespace

PinnedKernels::PinnedKernels(const std::vector<PinnedKernel>& kernels) {
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    check(kernels, i);
    Needs& needs = by_task_[{kernels[i].op, kernels[i].shape}];
    needs.workspace_bytes = std::max(needs.workspace_bytes, kernels[i].workspace_bytes);
    needs.weight_order = kernels[i].weight_order;
  }
}

std::optional<std::int64_t> PinnedKernels::workspace_bytes(const Task& task) const {
  const auto found = by_task_.find({task.op, task.shape});
  if (found == by_task_.end()) return std::nullopt;
  return found->second.workspace_bytes;
}

std::optional<std::string> PinnedKernels::weight_order(const std::string& op,
                                                       const std::string& shape) const {
  const auto found = by_task_.find({op, shape});
  if (found == by_task_.end()) return std::nullopt;
  return found->second.weight_order;
}

}  // namespace stint
