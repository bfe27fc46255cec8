// Orders of a pipeline: p stages, each of which runs the forwards and backwards of m micro-batches
// in a list of its own. Nothing here knows times, memory or tasks; any of the synchronous orders
// gives the same sums, because sums follow the fixed tree over micro-batches.
//
// - gpipe: all forwards, then all backwards, the last micro-batch first. (Huang et al., 2019.)
// - 1f1b: backwards as soon as possible; no more micro-batches in flight than stages behind.
//   (Narayanan et al., PipeDream-flush; Fan et al., DAPPLE.)
// - interleaved: every stage has v chunks of the network, virtual stage = chunk · p + stage.
//   (Narayanan et al., Megatron-LM, 2021.) Micro-batches come in multiples of p.
// - zb-h1, zb-h2: gradients of weights are apart from backwards and fill what would be idle, with
//   as many activations as 1f1b, or with twice as many. (Qi et al., Zero Bubble, 2024.)
// - pipedream: the lists of 1f1b, but every backward updates the weights: not synchronous. Which
//   versions micro-batches see is in the tasks (models/training/weight_versions.hpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace stint {

enum class PipelineKind { gpipe, one_f_one_b, interleaved, zb_h1, zb_h2, pipedream };

// All synchronous kinds, in the order in which ties are broken.
const std::vector<PipelineKind>& pipeline_kinds();
std::string to_string(PipelineKind kind);
std::optional<PipelineKind> pipeline_kind(const std::string& name);

// The gradients of weights are operations of their own.
bool has_weight_operations(PipelineKind kind);

enum class StageWork { forward, backward, weights };

struct StageOperation {
  StageWork work = StageWork::forward;
  int microbatch = 0;
  int chunk = 0;
  bool operator==(const StageOperation&) const = default;
};

struct PipelineOrder {
  int stages = 0;
  int chunks = 1;                                  // of every stage
  std::vector<std::vector<StageOperation>> lists;  // by stage

  int virtual_stages() const { return stages * chunks; }
  int virtual_stage(int stage, int chunk) const { return chunk * stages + stage; }
};

// `chunks` counts for interleaved only. Throws InputError unless all numbers are at least 1 and,
// for interleaved, micro-batches are a multiple of the stages.
PipelineOrder pipeline_order(PipelineKind kind, int stages, int microbatches, int chunks = 1);

}  // namespace stint
