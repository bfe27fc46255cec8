// Keeps cores busy for as long as it lives: for measuring what happens beside them, or what they
// draw.
#pragma once

#include <exception>
#include <functional>
#include <latch>
#include <stop_token>
#include <thread>
#include <vector>

#include "models/training/task_kernel.hpp"

namespace stint {

// Some work, done again and again; made by the thread that does it, on its core.
using Work = std::function<void()>;
using MakeWork = std::function<Work()>;

// The task, on buffers of the thread's own. It must outlive the work.
MakeWork kernel_work(const TaskKernel& task);

// All cores of this machine but one.
std::vector<int> cores_beside(int core);

class BusyCores {
 public:
  // Cores as platforms/cores.hpp counts them. Returns when all are at work.
  BusyCores(const std::vector<int>& cores, const MakeWork& make_work);

  // For which the threads have been on their cores so far, summed up.
  double seconds();

  // Ends the work, and rethrows what made one fail.
  void finish();

 private:
  void keep_busy(std::size_t which, int core, const MakeWork& make_work,
                 const std::stop_token& stop);

  std::latch ready_;
  std::vector<std::exception_ptr> failures_;  // by thread
  std::vector<std::jthread> threads_;
};

}  // namespace stint
