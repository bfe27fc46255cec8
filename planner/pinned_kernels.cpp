#include "planner/pinned_kernels.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "models/training/gpu_workspace.hpp"
#include "models/training/lower_network.hpp"
#include "models/training/training.hpp"

namespace stint {
namespace {

constexpr const char* cuda = "cuda";  // a kind of devices

using OpAndShape = std::pair<std::string, std::string>;

bool has_one_kind(const Platform& platform) {
  return std::all_of(platform.devices.begin(), platform.devices.end(), [&](const Device& device) {
    return device.kind == platform.devices.front().kind;
  });
}

std::set<OpAndShape> ops_and_shapes(const Graph& graph) {
  std::set<OpAndShape> used;
  for (const Task& task : graph.tasks) used.emplace(task.op, task.shape);
  return used;
}

// Reorders are tasks only once weights have orders, and sums of gradients then have other sizes.
bool follows_from_orders(const Kernel& kernel) {
  return kernel.op == weight_reorder_op || kernel.op == "sum";
}

}  // namespace

std::vector<PinnedKernel> pinned_kernels(const Graph& graph, const Platform& platform) {
  const std::set<OpAndShape> used = ops_and_shapes(graph);
  const bool orders_weights = has_one_kind(platform);
  std::map<std::tuple<std::string, std::string, std::string>, PinnedKernel> pinned;
  for (const Device& device : platform.devices) {
    for (const Kernel& kernel : device.kernels) {
      const bool may_be_used = used.contains({kernel.op, kernel.shape}) ||
                               (orders_weights && follows_from_orders(kernel));
      if (!may_be_used || kernel.algorithm.empty()) continue;
      const auto [found, is_new] = pinned.try_emplace({kernel.op, kernel.shape, device.kind});
      PinnedKernel& entry = found->second;
      if (is_new)
        entry = {device.kind, kernel.op, kernel.shape, kernel.algorithm,
                 orders_weights ? kernel.weight_order : ""};
      entry.workspace_bytes = std::max(entry.workspace_bytes, kernel.workspace_bytes);
    }
  }
  std::vector<PinnedKernel> list;
  for (auto& [key, kernel] : pinned) list.push_back(std::move(kernel));
  return list;
}

void pin_known_gpu_kernels(const Network& network, const Lowering& lowering,
                           const Platform& platform, std::vector<PinnedKernel>& kernels) {
  if (platform.devices.front().kind != cuda || !has_one_kind(platform)) return;
  const auto key = [](const PinnedKernel& kernel) {
    return std::tie(kernel.op, kernel.shape, kernel.device);
  };
  std::set<OpAndShape> known;
  for (const PinnedKernel& kernel : kernels) known.emplace(kernel.op, kernel.shape);
  const LoweredNetwork lowered = lower_with_kernels(network, lowering);
  for (std::size_t t = 0; t < lowered.kernels.size(); ++t) {
    const Task& task = lowered.graph.tasks[t];
    const auto needs = known_gpu_needs(lowered.kernels[t]);
    if (!needs || !known.emplace(task.op, task.shape).second) continue;
    kernels.push_back({cuda, task.op, task.shape, needs->algorithm, "", needs->workspace_bytes});
  }
  std::ranges::sort(kernels, {}, key);
}

void drop_unused(const Graph& graph, std::vector<PinnedKernel>& kernels) {
  const std::set<OpAndShape> used = ops_and_shapes(graph);
  std::erase_if(kernels, [&](const PinnedKernel& kernel) {
    return !used.contains({kernel.op, kernel.shape});
  });
}

}  // namespace stint
