#include "executor/calibrate/kernel_clock.hpp"

#include <vector>

#include "executor/calibrate/busy_cores.hpp"
#include "executor/calibrate/kernel_bench.hpp"
#include "platforms/cores.hpp"

namespace stint {
namespace {

std::vector<int> cores_beside(int core) {
  std::vector<int> others;
  for (int other = 0; other < Cores::here().count(); ++other) {
    if (other != core) others.push_back(other);
  }
  return others;
}

double seconds_here(const TaskKernel& task, int core) {
  Cores::here().pin_this_thread(core);
  KernelPool pool;
  KernelBench bench(task, pool);
  bench.prepare();
  return bench.seconds();
}

}  // namespace

KernelClock lone_core_clock(int core) {
  return [core](const Task&, const TaskKernel& kernel) { return seconds_here(kernel, core); };
}

KernelClock busy_core_clock(int core) {
  return [core](const Task&, const TaskKernel& kernel) {
    BusyCores others(cores_beside(core), kernel_work(kernel));
    const double seconds = seconds_here(kernel, core);
    others.finish();
    return seconds;
  };
}

}  // namespace stint
