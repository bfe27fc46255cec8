// One execution of a network's task: its kernel, leaf after leaf, at addresses that are known
// before the first step. What is summed over leaves is put together by the fixed tree
// (models/training/ tree.hpp) as soon as both sides are there, in the workspace behind the kernel's
// own.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "executor/arenas.hpp"
#include "executor/backend.hpp"
#include "executor/cpu/leaf_kernels.hpp"

namespace stint {

class KernelJob : public Job {
 public:
  // The arenas and the pool must outlive it. Throws InputError, naming the task, if the plan gives
  // it less workspace than its kernels need here.
  KernelJob(const Task& task, const TaskKernel& kernel, const Operands& operands,
            const Arenas& arenas, KernelPool& pool, std::int64_t seed);

  void run(std::int64_t step) override;

 private:
  // Where an operand lies in even and odd steps, and how far its leaves are apart.
  struct Pointer {
    std::array<std::byte*, 2> base = {nullptr, nullptr};
    std::int64_t leaf_bytes = 0;
    std::byte* at(std::int64_t step, std::int64_t leaf) const {
      std::byte* const begin = base[step & 1];
      return begin == nullptr ? nullptr : begin + leaf * leaf_bytes;
    }
  };
  // An output that is summed up: partial results are a stack, the first of them in its own place.
  struct Partial {
    std::size_t output = 0;
    std::int64_t bytes = 0;  // from one place in the workspace to the next
    std::byte* stack = nullptr;
    std::vector<CpuKernel*> merges;  // by merge
  };
  static Pointer pointer(const Place& place, const KernelOperand& operand, std::int64_t leaves,
                         const Arenas& arenas);
  void point_to_operands(const TaskKernel& kernel, const Operands& operands, const Arenas& arenas);
  void make_merges(const TaskKernel& kernel, KernelPool& pool);
  void lay_out_workspace(const Task& task, const Operands& operands, const Arenas& arenas);
  void run_leaf(std::int64_t step, std::int64_t leaf, int depth);
  void merge(std::int64_t step, std::size_t which, int depth);
  std::byte* partial_at(const Partial& partial, std::int64_t step, int depth) const;

  CpuKernel& kernel_;
  std::int64_t leaves_;
  std::int64_t first_sample_;
  std::int64_t leaf_samples_;
  std::vector<Pointer> reads_;
  std::vector<Pointer> writes_;
  std::vector<Pointer> updates_from_;
  std::vector<Pointer> updates_to_;
  std::vector<Partial> partials_;
  std::vector<int> merge_ends_;  // by merge: the leaves that must be there
  std::int64_t kernel_workspace_bytes_ = 0;
  KernelArguments arguments_;
  KernelArguments merge_arguments_;
};

}  // namespace stint
