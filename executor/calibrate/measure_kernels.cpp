#include "executor/calibrate/measure_kernels.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "executor/calibrate/kernel_bench.hpp"
#include "models/training/lower_network.hpp"

namespace stint {
namespace {

using OpAndShape = std::pair<std::string, std::string>;

// Tasks of one op and shape are alike; one of them stands for all.
struct Alike {
  const TaskKernel* task = nullptr;
  std::int64_t workspace_bytes = 0;  // the largest
};

std::map<OpAndShape, Alike> distinct(const LoweredNetwork& lowered, KernelPool& pool) {
  std::map<OpAndShape, Alike> found;
  for (std::size_t t = 0; t < lowered.kernels.size(); ++t) {
    const Task& task = lowered.graph.tasks[t];
    Alike& alike = found[{task.op, task.shape}];
    if (alike.task == nullptr) alike.task = &lowered.kernels[t];
    const KernelJob job(lowered.kernels[t], pool, 0);
    alike.workspace_bytes = std::max(alike.workspace_bytes, job.workspace_bytes());
  }
  return found;
}

std::vector<PinnedKernel> with_wanted_orders(const Network& network, const Lowering& lowering) {
  const LoweredNetwork lowered = lower_with_kernels(network, lowering);
  KernelPool pool;
  std::vector<PinnedKernel> kernels;
  for (const auto& [key, alike] : distinct(lowered, pool)) {
    const KernelJob job(*alike.task, pool, 0);
    kernels.push_back({"cpu", key.first, key.second, job.algorithm(), job.weight_order()});
  }
  return kernels;
}

std::string layout_of(const TaskKernel& task) {
  for (const auto* list : {&task.reads, &task.writes}) {
    for (const KernelOperand& operand : *list) {
      if (operand.channels_last) return "nhwc";
      if (operand.has_samples && operand.shape.size() == 4) return "nchw";
    }
  }
  return "";
}

}  // namespace

std::vector<Kernel> measure_kernels(const Network& network, const Lowering& lowering,
                                    const std::atomic<bool>& interrupted,
                                    const MeasureProgress& progress) {
  Lowering ordered = lowering;
  ordered.kernels = with_wanted_orders(network, lowering);
  const LoweredNetwork lowered = lower_with_kernels(network, ordered);
  KernelPool pool;
  const auto tasks = distinct(lowered, pool);
  std::vector<Kernel> kernels;
  for (const auto& [key, alike] : tasks) {
    if (interrupted) break;
    progress(kernels.size(), tasks.size());
    KernelBench bench(*alike.task, pool);
    kernels.push_back({.op = key.first,
                       .shape = key.second,
                       .type = "f32",
                       .layout = layout_of(*alike.task),
                       .algorithm = bench.algorithm(),
                       .weight_order = bench.weight_order(),
                       .workspace_bytes = alike.workspace_bytes,
                       .seconds = {bench.seconds(), Basis::measured, ""}});
  }
  return kernels;
}

}  // namespace stint
