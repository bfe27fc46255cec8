// What tasks need on GPUs beside their tensors, where that is known without measuring: cuBLAS has a
// workspace of its own, which is no part of a plan, so that products need none but for partial
// results of leaves. On CPUs libraries pack matrices into the task's.
#pragma once

#include "models/training/task_kernel.hpp"
#include "models/training/training.hpp"
#include "models/training/workspace.hpp"

namespace stint {

inline constexpr const char* gpu_product_algorithm = "cublas sgemm";

inline bool is_product_of_gpus(const TaskKernel& kernel) {
  const auto* const layer = std::get_if<LayerKind>(&kernel.origin);
  return layer != nullptr &&
         (std::holds_alternative<Linear>(*layer) || std::holds_alternative<Matmul>(*layer));
}

// Partial results wait in the workspace: so many bytes for the outputs that are summed over leaves.
inline std::int64_t partial_result_bytes(const TaskKernel& kernel) {
  std::int64_t bytes = 0;
  for (const KernelOperand& output : kernel.writes) {
    if (output.has_samples) continue;
    bytes += tree_levels(kernel.leaves) *
             aligned_workspace(element_count(output) * bytes_of(output.element));
  }
  return bytes;
}

}  // namespace stint
