// Tasks as kernels see them: one leaf at a time, and merges of what leaves sum up. Kernels of equal
// work are shared by the tasks of one worker; no two workers share any.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "executor/cpu/kernel.hpp"

namespace stint {

// The task's kernel with one leaf, the same for all of its leaves.
TaskKernel leaf_of(const TaskKernel& task);

// Puts two partial results of the task's output together, that stand for so many leaves.
TaskKernel merge_of(const TaskKernel& task, const KernelOperand& output, std::int64_t left_leaves,
                    std::int64_t right_leaves);

// Whether the task sums this output up leaf by leaf.
bool is_partial(const TaskKernel& task, const KernelOperand& output);

std::int64_t bytes_of(const KernelOperand& operand);

class KernelPool {
 public:
  // Made when first asked for; lives as long as the pool.
  CpuKernel& get(const TaskKernel& kernel);

 private:
  using Made = std::pair<Origin, std::unique_ptr<CpuKernel>>;
  std::map<std::string, std::vector<Made>> kernels_;  // by everything but attributes
};

}  // namespace stint
