// A pipeline as a few decisions, and how it becomes a plan: the order of stages' operations, cut
// into tasks, merged into one order of all tasks, each with its worker. What stages send each other
// and what they compute again follows from the replay (placement/placed_replay.hpp).
//
// A stage has one or several workers. Several share each operation's tasks, or deal the
// micro-batches out among themselves: replicas, that read the same state, which a replica in
// another memory gets by copies; gradients are summed where the state is. What belongs to no
// micro-batch — sums, updates — runs on a stage's first worker as soon as it can.
#pragma once

#include <optional>
#include <vector>

#include "planner/pipelines/pipeline_tasks.hpp"
#include "planner/pipelines/stage_chains.hpp"
#include "planner/placement/placement_choice.hpp"

namespace stint {

// How stages choose what they compute again. Once that is done it stays until it is used up.
enum class Recomputing {
  cheapest_bytes,  // that share of the bytes, what takes the least time for its bytes first
  chains           // as the solver of chains has it, where stages are chains (stage_chains.hpp)
};

struct PipelineDesign {
  PipelineKind kind = PipelineKind::gpipe;
  int chunks = 1;
  std::vector<int> ends;                       // by virtual stage, the layer behind its last
  std::vector<std::vector<WorkerId>> workers;  // by stage
  bool deals = false;                          // micro-batches, instead of tasks
  // By virtual stage, how much of what its forwards make for its backwards is computed again, in
  // steps of 1 / `most_recomputing`. What other stages read is kept.
  std::vector<int> recomputing;
  Recomputing recomputes = Recomputing::cheapest_bytes;

  int stages() const { return static_cast<int>(workers.size()); }
};
inline constexpr int most_recomputing = 16;

// Nothing if the tasks cannot run in this order.
std::optional<PlacementChoice> pipeline_choice(const PlacedGraph& graph, const PipelineTasks& tasks,
                                               const PipelineDesign& design, StageChains& chains);

}  // namespace stint
