#include "executor/calibrate/measure_kernels.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "executor/cpu/kernel_job.hpp"
#include "models/training/lower_network.hpp"

namespace stint {
namespace {

using OpAndShape = std::pair<std::string, std::string>;

// Tasks of one op and shape.
struct Alike {
  std::vector<std::size_t> tasks;
  std::int64_t workspace_bytes = 0;  // the largest
};

std::map<OpAndShape, Alike> distinct(const LoweredNetwork& lowered, KernelPool& pool) {
  std::map<OpAndShape, Alike> found;
  for (std::size_t t = 0; t < lowered.kernels.size(); ++t) {
    const Task& task = lowered.graph.tasks[t];
    Alike& alike = found[{task.op, task.shape}];
    alike.tasks.push_back(t);
    const KernelJob job(lowered.kernels[t], pool, 0);
    alike.workspace_bytes = std::max(alike.workspace_bytes, job.workspace_bytes());
  }
  return found;
}

std::vector<PinnedKernel> with_wanted_orders(const NetworkStep& step) {
  const LoweredNetwork lowered = lower_with_kernels(step.network, step.lowering);
  KernelPool pool;
  std::vector<PinnedKernel> kernels;
  for (const auto& [key, alike] : distinct(lowered, pool)) {
    const KernelJob job(lowered.kernels[alike.tasks.front()], pool, 0);
    kernels.push_back({"cpu", key.first, key.second, job.algorithm(), job.weight_order()});
  }
  return kernels;
}

double mean_of(const std::vector<double>& seconds, const std::vector<std::size_t>& tasks) {
  double sum = 0;
  for (const std::size_t task : tasks) sum += seconds[task];
  return sum / static_cast<double>(tasks.size());
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

std::vector<Kernel> measure_kernels(const NetworkStep& step, const StepClock& clock,
                                    bool orders_weights) {
  NetworkStep ordered = step;
  if (orders_weights) ordered.lowering.kernels = with_wanted_orders(step);
  const LoweredNetwork lowered = lower_with_kernels(ordered.network, ordered.lowering);
  const std::vector<double> seconds = clock(ordered, lowered);
  KernelPool pool;
  std::vector<Kernel> kernels;
  for (const auto& [key, alike] : distinct(lowered, pool)) {
    const TaskKernel& kernel = lowered.kernels[alike.tasks.front()];
    const KernelJob job(kernel, pool, 0);
    kernels.push_back({.op = key.first,
                       .shape = key.second,
                       .type = "f32",
                       .layout = layout_of(kernel),
                       .algorithm = job.algorithm(),
                       .weight_order = job.weight_order(),
                       .workspace_bytes = alike.workspace_bytes,
                       .seconds = {mean_of(seconds, alike.tasks), Basis::measured, ""}});
  }
  return kernels;
}

}  // namespace stint
