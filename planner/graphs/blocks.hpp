// A training graph cut into blocks, each with its forward and its backward tasks, between which a
// single tensor goes forward: between articulation points, as recognise.hpp sees them. Of many
// stages several in a row make a block.
//
// A block is also a graph of its own (`BlockGraph`): its input is there, then its forward tasks
// run, then a task that stands for all blocks behind it, which takes the output and brings
// gradients, then its backward tasks. Equal blocks are equal graphs, so that each is solved once.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/chains/recognise.hpp"
#include "planner/graphs/device_graph.hpp"

namespace stint {

struct GraphBlock {
  std::vector<TaskId> forward;   // in order
  std::vector<TaskId> backward;  // in order
  GraphItemId input = no_graph_item;
  GraphItemId output = no_graph_item;
};

// None where the graph is no chain of at least two. At most `most_blocks`.
std::vector<GraphBlock> graph_blocks(const DeviceGraph& graph, const TaskChain& chain,
                                     int most_blocks);

struct BlockGraph {
  DeviceGraph graph;
  std::vector<double> costs;
  std::vector<TaskId> origin;  // by task: which one it is in the whole; of `between` no_task
  TaskId between = no_task;    // all other blocks
  GraphItemId input = no_graph_item;
  GraphItemId output = no_graph_item;
  std::int64_t gradient_bytes = 0;  // that come from behind
  // Everything that decides how it is solved: equal for blocks that are alike.
  std::vector<std::int64_t> key() const;
};

BlockGraph block_graph(const DeviceGraph& graph, const std::vector<double>& costs,
                       const GraphBlock& block);

}  // namespace stint
