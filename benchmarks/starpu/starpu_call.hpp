// What a task of StarPU's does: a kernel of ours, whichever worker it is given to, and, where
// workers have sums of their own, adding to these.
#pragma once

#include <starpu.h>

#include <memory>
#include <vector>

#include "executor/cpu/kernel_job.hpp"

namespace stint {

inline constexpr int starpu_workers = 2;

// A result that a worker adds to its own sum when it has computed it.
struct OwnSum {
  const std::byte* from = nullptr;
  std::size_t floats = 0;
  std::size_t buffer = 0;  // among the task's
};

struct StarpuCall {
  // By worker, because a kernel is used by one thread at a time.
  std::vector<std::unique_ptr<KernelJob>> jobs;
  std::vector<starpu_data_descr> data;
  std::vector<OwnSum> sums;
  starpu_codelet* codelet = nullptr;
  std::int64_t step = 0;
};

// Functions of codelets.
void run_starpu_call(void** buffers, void* call);
void clear_starpu_sum(void** buffers, void*);
void add_starpu_sums(void** buffers, void*);

double clock_seconds();

// In calls, of all workers, since they were last forgotten.
double busy_seconds();
void forget_busy_seconds();

}  // namespace stint
