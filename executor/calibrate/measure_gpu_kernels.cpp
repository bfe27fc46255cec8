#include "executor/calibrate/measure_gpu_kernels.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "executor/accelerator.hpp"
#include "executor/calibrate/gpu_clocks.hpp"
#include "executor/calibrate/gpu_step.hpp"

namespace stint {
namespace {

using OpAndShape = std::pair<std::string, std::string>;
using Ways = std::map<OpAndShape, std::vector<KernelPlan>>;

OpAndShape key_of(const Task& task) { return {task.op, task.shape}; }

// All ways to compute each kind of task.
Ways find_ways(const NetworkStep& step, const Platform& platform, DeviceId gpu) {
  const LoweredNetwork lowered = lower_with_kernels(step.network, step.lowering);
  const Schedule schedule = gpu_step(step, lowered.graph, platform, gpu);
  const auto accelerator = open_accelerator(schedule, measured_seed);
  Ways ways;
  for (std::size_t t = 0; t < lowered.kernels.size(); ++t) {
    auto& of_task = ways[key_of(lowered.graph.tasks[t])];
    if (of_task.empty())
      of_task = accelerator->kernels(ActionId{static_cast<int>(t)}, lowered.kernels[t]);
  }
  return ways;
}

const KernelPlan& way_of(const std::vector<KernelPlan>& ways, std::size_t pass) {
  return ways[std::min(pass, ways.size() - 1)];
}

NetworkStep pinned(const NetworkStep& step, const Ways& ways, std::size_t pass) {
  NetworkStep result = step;
  for (const auto& [key, of_task] : ways) {
    const KernelPlan& way = way_of(of_task, pass);
    result.lowering.kernels.push_back(
        {cuda_kind, key.first, key.second, way.algorithm, "", way.workspace_bytes});
  }
  return result;
}

struct Sum {
  double seconds = 0;
  int tasks = 0;
  double mean() const { return seconds / tasks; }
};

// The mean over tasks that are alike.
std::map<OpAndShape, double> measured_pass(const NetworkStep& step, const Platform& platform,
                                           DeviceId gpu) {
  const LoweredNetwork lowered = lower_with_kernels(step.network, step.lowering);
  const std::vector<double> seconds = gpu_clock(platform, gpu)(step, lowered);
  std::map<OpAndShape, Sum> sums;
  for (std::size_t t = 0; t < seconds.size(); ++t) {
    Sum& sum = sums[key_of(lowered.graph.tasks[t])];
    sum.seconds += seconds[t];
    ++sum.tasks;
  }
  std::map<OpAndShape, double> means;
  for (const auto& [key, sum] : sums) means[key] = sum.mean();
  return means;
}

}  // namespace

std::vector<Kernel> measure_gpu_kernels(const NetworkStep& step, const Platform& platform,
                                        DeviceId gpu) {
  const Ways ways = find_ways(step, platform, gpu);
  std::size_t passes = 0;
  for (const auto& [key, of_task] : ways) passes = std::max(passes, of_task.size());
  std::map<OpAndShape, Kernel> best;
  for (std::size_t pass = 0; pass < passes; ++pass) {
    for (const auto& [key, seconds] : measured_pass(pinned(step, ways, pass), platform, gpu)) {
      const auto& of_task = ways.at(key);
      if (pass >= of_task.size()) continue;  // the last way again
      Kernel& kernel = best[key];
      if (pass > 0 && seconds >= kernel.seconds) continue;
      kernel = {.op = key.first,
                .shape = key.second,
                .type = "f32",
                .algorithm = of_task[pass].algorithm,
                .workspace_bytes = of_task[pass].workspace_bytes,
                .seconds = {seconds, Basis::measured, ""}};
    }
  }
  std::vector<Kernel> kernels;
  for (auto& [key, kernel] : best) kernels.push_back(std::move(kernel));
  return kernels;
}

}  // namespace stint
