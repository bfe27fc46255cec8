// Tasks as kernels see them: one leaf at a time, and merges of what leaves sum up. Kernels of equal
// work are shared by the tasks of one worker; no two workers share any.
#pragma once

#include <functional>
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

using KernelMaker = std::function<std::unique_ptr<LeafKernel>(const TaskKernel&)>;

class KernelPool {
 public:
  explicit KernelPool(KernelMaker make = make_cpu_kernel) : make_(std::move(make)) {}

  // Made when first asked for; lives as long as the pool.
  LeafKernel& get(const TaskKernel& kernel);

 private:
  using Made = std::pair<Origin, std::unique_ptr<LeafKernel>>;
  std::map<std::string, std::vector<Made>> kernels_;  // by everything but attributes
  KernelMaker make_;
};

}  // namespace stint
