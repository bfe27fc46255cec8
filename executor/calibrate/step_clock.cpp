#include "executor/calibrate/step_clock.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "executor/calibrate/busy_cores.hpp"
#include "executor/calibrate/kernel_bench.hpp"
#include "executor/calibrate/step_bench.hpp"
#include "platforms/cores.hpp"

namespace stint {
namespace {

// Steps on buffers of the thread's own.
MakeWork step_work(const NetworkStep& step, const LoweredNetwork& lowered) {
  return [&step, &lowered] {
    const auto bench = std::make_shared<StepBench>(step, lowered);
    bench->prepare();
    return [bench] { bench->run(); };
  };
}

double seconds_by_itself(const TaskKernel& kernel, const std::vector<int>& others) {
  BusyCores busy(others, kernel_work(kernel));
  KernelPool pool;
  KernelBench bench(kernel, pool);
  bench.prepare();
  const double seconds = bench.seconds();
  busy.finish();
  return seconds;
}

std::vector<double> kernel_by_kernel(const LoweredNetwork& lowered,
                                     const std::vector<int>& others) {
  std::map<std::pair<std::string, std::string>, double> known;  // by op and shape
  std::vector<double> seconds;
  for (std::size_t t = 0; t < lowered.kernels.size(); ++t) {
    const Task& task = lowered.graph.tasks[t];
    const auto [found, is_new] = known.try_emplace({task.op, task.shape});
    if (is_new) found->second = seconds_by_itself(lowered.kernels[t], others);
    seconds.push_back(found->second);
  }
  return seconds;
}

std::vector<double> seconds_on(int core, const std::vector<int>& others, std::int64_t most_bytes,
                               const NetworkStep& step, const LoweredNetwork& lowered) {
  Cores::here().pin_this_thread(core);
  StepBench bench(step, lowered);
  const auto copies = static_cast<std::int64_t>(others.size()) + 1;
  if (bench.bytes() > most_bytes / copies) return kernel_by_kernel(lowered, others);
  BusyCores busy(others, step_work(step, lowered));
  bench.prepare();
  std::vector<double> seconds = bench.seconds();
  busy.finish();
  return seconds;
}

StepClock clock_on(int core, const std::vector<int>& others, std::int64_t most_bytes) {
  return [=](const NetworkStep& step, const LoweredNetwork& lowered) {
    return seconds_on(core, others, most_bytes, step, lowered);
  };
}

}  // namespace

StepClock lone_core_clock(int core, std::int64_t most_bytes) {
  return clock_on(core, {}, most_bytes);
}

StepClock busy_core_clock(int core, std::int64_t most_bytes) {
  return clock_on(core, cores_beside(core), most_bytes);
}

}  // namespace stint
