// One execution of a network's task: its kernel, leaf after leaf, at addresses that are known
// before it runs. What is summed over leaves is put together by the fixed tree
// (models/training/ tree.hpp) as soon as both sides are there, in the workspace behind the kernel's
// own.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "executor/backend.hpp"
#include "executor/cpu/leaf_kernels.hpp"

namespace stint {

// Where the tensors of a task lie, in the order of its lists: in even steps and in odd ones. Null
// for what is left out.
struct TaskAddresses {
  using Halves = std::array<std::byte*, 2>;
  std::vector<Halves> reads;
  std::vector<Halves> writes;
  std::vector<Halves> updates_from;
  std::vector<Halves> updates_to;
  std::byte* workspace = nullptr;  // `workspace_bytes` of it, aligned to 64
};

class KernelJob : public Job {
 public:
  // The bytes and the pool must outlive it.
  KernelJob(const TaskKernel& kernel, KernelPool& pool, std::int64_t seed);

  std::int64_t workspace_bytes() const { return workspace_bytes_; }  // that it needs
  std::string algorithm() const { return kernel_.algorithm(); }
  std::string weight_order() const { return kernel_.weight_order(); }

  // Before the first run.
  void point_to(const TaskAddresses& addresses);

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
    std::int64_t bytes = 0;   // from one place in the workspace to the next
    std::int64_t offset = 0;  // of the stack in the workspace
    std::byte* stack = nullptr;
    std::vector<LeafKernel*> merges;  // by merge
  };
  std::vector<Pointer> pointers(const std::vector<KernelOperand>& operands,
                                const std::vector<TaskAddresses::Halves>& addresses) const;
  void make_merges(KernelPool& pool);
  void lay_out_workspace();
  void run_leaf(std::int64_t step, std::int64_t leaf, int depth);
  void merge(std::int64_t step, std::size_t which, int depth);
  std::byte* partial_at(const Partial& partial, std::int64_t step, int depth) const;

  const TaskKernel& task_;
  LeafKernel& kernel_;
  std::int64_t leaves_;
  std::int64_t leaf_samples_;
  std::vector<Pointer> reads_;
  std::vector<Pointer> writes_;
  std::vector<Pointer> updates_from_;
  std::vector<Pointer> updates_to_;
  std::vector<Partial> partials_;
  std::vector<int> merge_ends_;  // by merge: the leaves that must be there
  std::int64_t workspace_bytes_ = 0;
  KernelArguments arguments_;
  KernelArguments merge_arguments_;
};

}  // namespace stint
