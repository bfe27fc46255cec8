// From a network to the graph of tasks of one step: differentiated, given bytes, repeated for every
// micro-batch, cut along leaves, copied to replicas.
//
// - Micro-batch i of several has tensors of its own, "conv1#1"; replica r beyond the first has
// state
//   of its own, "conv1.weight@n1", and computes an equal run of the micro-batches.
// - A cut layer's tasks each take some samples: parts of the tensors that have samples, and partial
//   results of those that are summed over them, put together by the tree of tree.hpp.
// - Gradients and losses of micro-batches are summed by the same tree.
// - Where stages run ahead, every micro-batch updates the weights, versions of which are stashed
// for
//   backwards that still need them (pipelined_order.hpp, weight_versions.hpp).
// - Concatenations and splits are views where their bytes lie side by side, else tasks.
//
// Linear in the size of the graph.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/graph.hpp"
#include "models/lowering.hpp"
#include "models/training/task_kernel.hpp"

namespace stint {

inline constexpr std::int64_t most_tasks_of_a_step = 20'000'000;

// Throws InputError if the network is unsound, or cannot be lowered that way: not to more than
// `most_tasks`, which is known before any is made.
Graph lower_network(const Network& network, const Lowering& lowering,
                    std::int64_t most_tasks = most_tasks_of_a_step);

// Where a task comes from.
struct TaskOrigin {
  int layer = 0;                // an index into the network's
  std::int64_t microbatch = 0;  // with which it is listed
  bool is_forward = true;       // listed not behind that micro-batch's loss
};

// The same graph, with what each of its tasks computes.
struct LoweredNetwork {
  Graph graph;
  std::vector<TaskKernel> kernels;            // by task
  std::vector<TaskOrigin> origins;            // by task
  std::vector<Parameter> parameters;          // of the first replica, with their first values
  std::map<std::string, std::string> orders;  // of state that is not stored as listed, by name
};
LoweredNetwork lower_with_kernels(const Network& network, const Lowering& lowering,
                                  std::int64_t most_tasks = most_tasks_of_a_step);

}  // namespace stint
