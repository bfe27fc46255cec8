// The tasks of one layer alone, and memory for them: for tests of kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "executor/cpu/kernel.hpp"
#include "models/lowering.hpp"

namespace stint {

struct OneLayer {
  LayerKind kind;
  std::vector<std::vector<std::int64_t>> inputs;  // shapes; the first dimension is the batch
};

// Every task of the layer in a training step that wants all its gradients, as the lowering makes
// them.
std::vector<TaskKernel> tasks_of(const OneLayer& layer, ImageLayout layout);
TaskKernel task_of(const OneLayer& layer, ImageLayout layout, const std::string& op);

// Numbers of an operand in logical order, whatever its order in memory.
using Numbers = std::vector<double>;

// Memory of one task: reads hold numbers that follow from the seed, everything else holds NaN.
class TaskMemory {
 public:
  TaskMemory(const TaskKernel& task, std::int64_t workspace_bytes, std::uint64_t seed);

  const KernelArguments& arguments() const { return arguments_; }
  void set_read(std::size_t at, const std::vector<std::byte>& bytes);
  void leave_out_write(std::size_t at);
  Numbers read(std::size_t at) const;
  Numbers written(std::size_t at) const;
  std::vector<std::byte> written_bytes(std::size_t at) const;

 private:
  // Begins at a multiple of 64 bytes that is none of 128.
  struct Block {
    std::vector<std::byte> bytes;
    std::int64_t size = 0;
    std::byte* begin();
  };
  Block& add_block(std::int64_t bytes);

  const TaskKernel task_;
  std::vector<Block> blocks_;
  KernelArguments arguments_;
};

}  // namespace stint
