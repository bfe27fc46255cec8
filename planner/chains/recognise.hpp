// Sees a chain in a graph of tasks: stages forward, each from one tensor to the next, and the same
// stages backward. It prices nothing and knows no machine; chain_sizes.hpp and chain_costs.hpp do.
//
// Forward tasks are cut wherever a single tensor is all that later ones read: x_1, x_2, …; what
// lies between two cuts is a block, run as a whole. Every other task belongs to the backward of the
// first stage, counted from the last, at which everything it reads is there: gradients of later
// stages, and the tapes, the input or the output of the stage itself. So weight gradients and
// updates run as soon as they can, and the update of a stage's state comes after its last forward.
// Where a backward task reads across several stages, these become one. Tensors of 0 bytes are no
// obstacle: they may stay for ever.
//
// Not a chain: parts of tensors, forward tasks that update state or wait for backward ones, graphs
// in which fewer than two stages remain. Cost: linear in reads and writes, for every time that
// stages are joined.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/graph.hpp"

namespace stint {

// Tensors of 0 bytes are in none of these lists.
struct TaskStage {
  std::vector<TaskId> forward;      // in order
  std::vector<TaskId> backward;     // in order
  std::vector<TensorId> output;     // x_{i+1}: none or one
  std::vector<TensorId> tape;       // other forward outputs that the backward reads
  std::vector<TensorId> own_input;  // inputs of the step that only this backward reads
  bool backward_reads_input = false;
  bool backward_reads_output = false;
};

struct TaskChain {
  std::vector<TensorId> input;  // x_0: read by the first stage only
  std::vector<TaskStage> stages;
  bool last_forward = true;              // the last stage has forward tasks
  std::vector<TensorId> resident_input;  // read by several stages: there throughout
  std::vector<TensorId> forward_result;  // results that forward tasks write
};

struct Recognised {
  std::optional<TaskChain> chain;
  std::string why_not;  // if there is none
};

// `before`: dependencies(graph).
Recognised recognise_chain(const Graph& graph, const std::vector<std::vector<TaskId>>& before);

}  // namespace stint
