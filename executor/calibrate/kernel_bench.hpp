// One task of a network on buffers of its own, to see what it needs and how long it takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "executor/cpu/kernel_job.hpp"

namespace stint {

class KernelBench {
 public:
  // Both must outlive it.
  KernelBench(const TaskKernel& task, KernelPool& pool);

  std::int64_t workspace_bytes() const { return job_.workspace_bytes(); }
  std::string algorithm() const { return job_.algorithm(); }
  std::string weight_order() const { return job_.weight_order(); }

  // The median of several runs, after one that warms up. Numbers are between 0.1 and 1, so that
  // nothing underflows, overflows, or has a negative variance.
  double seconds();

 private:
  struct Aligned {
    void operator()(std::byte* bytes) const;
  };
  using Block = std::unique_ptr<std::byte, Aligned>;

  std::vector<TaskAddresses::Halves> buffers_for(const std::vector<KernelOperand>& operands);
  std::byte* add_block(std::int64_t bytes);

  const TaskKernel& task_;
  KernelJob job_;
  std::vector<Block> blocks_;
};

}  // namespace stint
