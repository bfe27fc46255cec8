// A step of several micro-batches as a pipeline sees it: which micro-batch a task is of, which
// layer it goes with, and whether it is a forward, a backward, or a gradient of weights. Layers are
// the forward tasks of a micro-batch in their listed order; stages are runs of layers.
//
// A network's micro-batches are known from its lowering, those of a graph of tasks are found: there
// forward tasks are of one micro-batch if activations connect them. A backward task goes with the
// forward task of the same kind (`op`) with which it shares most tensors, but never behind a task
// whose gradient it reads; what reads gradients only goes with the first layer of those who wrote
// them. So backwards go from the last layer to the first. Tasks that several micro-batches share,
// and all that update state, are of none: they run in their layer's stage as soon as they can.
// Linear in reads and writes, but for sorting.
#pragma once

#include <vector>

#include "planner/pipelines/pipeline_order.hpp"
#include "planner/placement/placed_graph.hpp"

namespace stint {

inline constexpr int no_microbatch = -1;

struct PipelineTasks {
  int microbatches = 0;
  int layers = 0;
  std::vector<int> microbatch;  // by task; no_microbatch: of several or none
  std::vector<int> layer;       // by task
  // By task of one micro-batch. Gradients of weights are backward tasks that no other of the
  // micro-batch waits for.
  std::vector<StageWork> work;
};

// Throws InputError if there are no forward tasks, or if micro-batches are not alike: a network has
// as many as requested.
PipelineTasks pipeline_tasks(const PlacedGraph& graph);

}  // namespace stint
