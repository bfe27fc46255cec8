#include "executor/calibrate/busy_cores.hpp"

#include <pthread.h>

#include <ctime>
#include <memory>

#include "executor/calibrate/kernel_bench.hpp"
#include "platforms/cores.hpp"

namespace stint {

MakeWork kernel_work(const TaskKernel& task) {
  return [&task] {
    const auto pool = std::make_shared<KernelPool>();
    const auto bench = std::make_shared<KernelBench>(task, *pool);
    bench->prepare();
    return [pool, bench] { bench->run(); };
  };
}

std::vector<int> cores_beside(int core) {
  std::vector<int> others;
  for (int other = 0; other < Cores::here().count(); ++other) {
    if (other != core) others.push_back(other);
  }
  return others;
}

BusyCores::BusyCores(const std::vector<int>& cores, const MakeWork& make_work)
    : ready_(static_cast<std::ptrdiff_t>(cores.size())), failures_(cores.size()) {
  for (std::size_t i = 0; i < cores.size(); ++i) {
    threads_.emplace_back([this, i, core = cores[i], make_work](const std::stop_token& stop) {
      keep_busy(i, core, make_work, stop);
    });
  }
  ready_.wait();
}

void BusyCores::keep_busy(std::size_t which, int core, const MakeWork& make_work,
                          const std::stop_token& stop) {
  Work work;
  try {
    Cores::here().pin_this_thread(core);
    work = make_work();
  } catch (...) {
    failures_[which] = std::current_exception();
  }
  ready_.count_down();
  while (work && !stop.stop_requested()) work();
}

double BusyCores::seconds() {
  double sum = 0;
  for (std::jthread& thread : threads_) {
    clockid_t clock{};
    timespec now{};
    if (::pthread_getcpuclockid(thread.native_handle(), &clock) == 0 &&
        ::clock_gettime(clock, &now) == 0)
      sum += static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }
  return sum;
}

void BusyCores::finish() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();
  for (const std::exception_ptr& failure : failures_) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace stint
