// One task of a network on buffers of its own, to see what it needs and how long it takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "executor/calibrate/aligned_block.hpp"
#include "executor/cpu/kernel_job.hpp"

namespace stint {

class KernelBench {
 public:
  // Both must outlive it.
  KernelBench(const TaskKernel& task, KernelPool& pool);

  // Gives it buffers, and runs it once to warm up. Numbers are between 0.1 and 1, so that nothing
  // underflows, overflows, or has a negative variance.
  void prepare();
  void run() { job_.run(0); }

  // Of one run, prepared: the least of several, in time that this thread was on its core. What
  // other programs take of a busy machine is no property of a kernel.
  double seconds();

 private:
  std::vector<TaskAddresses::Halves> buffers_for(const std::vector<KernelOperand>& operands);
  std::byte* add_block(std::int64_t bytes);
  double seconds_of(int runs);

  const TaskKernel& task_;
  KernelJob job_;
  std::vector<AlignedBlock> blocks_;
};

}  // namespace stint
