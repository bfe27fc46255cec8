// A kernel: what one task computes for one leaf, on one thread, or in one stream of a GPU, where
// running it only puts it there. Created once, when a schedule is compiled; running it allocates
// nothing of ours and gives the same bits every time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/training/task_kernel.hpp"

namespace stint {

// Pointers in the order of TaskKernel's lists; null for an optional output that is left out. An
// update reads its first pointer and writes its second, which are the same but in a double buffer.
struct KernelArguments {
  std::vector<const std::byte*> reads;
  std::vector<std::byte*> writes;
  std::vector<const std::byte*> updates_from;
  std::vector<std::byte*> updates_to;
  std::byte* workspace = nullptr;  // `workspace_bytes` of it, aligned to 64
  std::int64_t step = 0;
  std::int64_t first_sample = 0;  // of the leaf, in the step's batch
  std::int64_t seed = 0;          // of the run
};

class LeafKernel {
 public:
  LeafKernel() = default;
  virtual ~LeafKernel() = default;
  LeafKernel(const LeafKernel&) = delete;
  LeafKernel& operator=(const LeafKernel&) = delete;

  virtual void run(const KernelArguments& arguments) = 0;
  virtual std::int64_t workspace_bytes() const { return 0; }
  // Which implementation it is: two of one name give the same bits for the same bytes.
  virtual std::string algorithm() const = 0;
  // In which it wants its weight, or makes the weight's gradient
  // (models/training/weight_order.hpp); given in another, it puts it into this one in its
  // workspace.
  virtual std::string weight_order() const { return ""; }
};

using CpuKernel = LeafKernel;
// `kernel` has one leaf. Throws InputError if there is no good kernel for it.
std::unique_ptr<CpuKernel> make_cpu_kernel(const TaskKernel& kernel);

}  // namespace stint
