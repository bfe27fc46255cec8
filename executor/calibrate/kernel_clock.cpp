#include "executor/calibrate/kernel_clock.hpp"

#include <exception>
#include <latch>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "executor/calibrate/kernel_bench.hpp"
#include "platforms/cores.hpp"

namespace stint {
namespace {

// Keeps the cores beside one busy with a task for as long as it lives.
class BusyCores {
 public:
  BusyCores(const TaskKernel& task, int other_core)
      : ready_(Cores::here().count() - 1), failures_(Cores::here().count()) {
    for (int core = 0; core < Cores::here().count(); ++core) {
      if (core == other_core) continue;
      threads_.emplace_back(
          [this, &task, core](const std::stop_token& stop) { keep_busy(task, core, stop); });
    }
    ready_.wait();
  }

  // Ends it, and says what went wrong.
  void finish() {
    threads_.clear();
    for (const std::exception_ptr& failure : failures_) {
      if (failure) std::rethrow_exception(failure);
    }
  }

 private:
  void keep_busy(const TaskKernel& task, int core, const std::stop_token& stop) {
    KernelPool pool;
    std::unique_ptr<KernelBench> bench;
    try {
      Cores::here().pin_this_thread(core);
      bench = std::make_unique<KernelBench>(task, pool);
      bench->prepare();
    } catch (...) {
      failures_[core] = std::current_exception();
    }
    ready_.count_down();
    while (!failures_[core] && !stop.stop_requested()) bench->run();
  }

  std::latch ready_;
  std::vector<std::exception_ptr> failures_;  // by core
  std::vector<std::jthread> threads_;
};

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
    BusyCores others(kernel, core);
    const double seconds = seconds_here(kernel, core);
    others.finish();
    return seconds;
  };
}

}  // namespace stint
