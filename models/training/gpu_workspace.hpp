// What tasks need on GPUs beside their tensors, where that is known without measuring. cuBLAS has a
// workspace of its own, which is no part of a plan, so that products need none; attention has the
// scores of so many queries of all heads of a sample. Partial results of leaves come on top.
//
// On CPUs libraries pack matrices into the task's workspace, and attention takes one head at a
// time.
#pragma once

#include <algorithm>
#include <optional>

#include "models/training/task_kernel.hpp"
#include "models/training/training.hpp"
#include "models/training/workspace.hpp"

namespace stint {

inline constexpr const char* gpu_product_algorithm = "cublas sgemm";
inline constexpr const char* gpu_attention_algorithm = "cublas attention";
inline constexpr std::int64_t gpu_attention_rows = 128;  // queries of each head at once

struct GpuNeeds {
  const char* algorithm = "";
  std::int64_t workspace_bytes = 0;
};

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

// Backward has their slopes as well.
inline std::int64_t attention_score_bytes(const TaskKernel& kernel, const Attention& layer) {
  const std::int64_t rows = std::min(gpu_attention_rows, kernel.reads[0].shape[1]);
  const std::int64_t keys = kernel.reads[1].shape[1];
  const std::int64_t matrices = kernel.op == "attention.forward" ? 1 : 2;
  return float_bytes * matrices * layer.heads * rows * keys;
}

// Nothing: it depends on the library, or is what any device needs.
inline std::optional<GpuNeeds> known_gpu_needs(const TaskKernel& kernel) {
  const auto* const layer = std::get_if<LayerKind>(&kernel.origin);
  if (layer == nullptr) return std::nullopt;
  if (const auto* attention = std::get_if<Attention>(layer))
    return GpuNeeds{gpu_attention_algorithm, attention_score_bytes(kernel, *attention)};
  if (std::holds_alternative<Linear>(*layer) || std::holds_alternative<Matmul>(*layer))
    return GpuNeeds{gpu_product_algorithm, partial_result_bytes(kernel)};
  return std::nullopt;
}

}  // namespace stint
