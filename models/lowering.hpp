// Lowering: from the model a user wrote to the graph of tasks that is scheduled. A pure function,
// so that a judge can repeat it. Micro-batches, leaves, shards, cuts, replicas and layouts change
// the set of tasks.
//
// A model that is already a graph of tasks is lowered to itself, and to nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/graph.hpp"
#include "models/model.hpp"

namespace stint {

// How images lie in memory: channels before height and width, or after them.
enum class ImageLayout { nhwc, nchw };
std::string to_string(ImageLayout layout);

// Every task of the layer becomes several, each for so many leaves of the (micro-)batch.
struct Cut {
  std::string layer;
  std::int64_t leaves = 1;           // a power of two: the pieces are nodes of the tree of leaves
  std::vector<std::int64_t> pieces;  // or, if any are listed, how many leaves each of them has
  bool operator==(const Cut&) const = default;
};

// A layer becomes several, each with an equal share of its output's columns (linear), its input's
// rows (linear), its channels (conv2d) or its heads (attention): training/shard.hpp. All but heads
// change in which order numbers are summed.
enum class ShardBy { columns, rows, channels, heads };
std::string to_string(ShardBy by);

struct Shard {
  std::string layer;
  ShardBy by = ShardBy::columns;
  std::int64_t count = 1;
  bool operator==(const Shard&) const = default;
};

// Partial gradients of the parameter are summed, and it is updated, in so many ranges of elements.
struct ParameterSplit {
  std::string parameter;
  std::int64_t ranges = 1;
  bool operator==(const ParameterSplit&) const = default;
};

// What a kernel of a task needs on a kind of device, as it was measured there: tasks of that op and
// shape get this workspace, and their weight in this order in memory.
struct PinnedKernel {
  std::string device;  // its kind
  std::string op;
  std::string shape;
  std::string algorithm;  // which implementation: a machine that would run another is refused
  std::string
      weight_order;  // of its weight, or of the weight's gradient (training/weight_order.hpp)
  std::int64_t workspace_bytes = 0;
  bool operator==(const PinnedKernel&) const = default;
};

// Samples are numbered over the whole batch: micro-batch i has batch / microbatches of them, and
// each leaf of it batch / microbatches / leaves. What is summed over samples is summed within a
// leaf by one kernel, then over leaves and over micro-batches by the fixed dyadic tree (tree.hpp).
struct Lowering {
  std::int64_t batch = 1;
  std::int64_t microbatches = 1;
  std::int64_t leaves = 1;    // of a micro-batch
  std::int64_t replicas = 1;  // micro-batches are dealt out to them in equal runs
  ImageLayout layout = ImageLayout::nhwc;
  bool fuse = false;  // layers in one go with those that follow them (training/fuse.hpp)
  std::vector<std::string> post_ops;  // of these, beside ReLUs, those after a product, ascending
  std::vector<Shard> shards;
  std::vector<Cut> cuts;
  std::vector<ParameterSplit> splits;
  std::vector<PinnedKernel> kernels;  // ascending (op, shape, device), each once
  // Stages that run ahead (training/pipelined_order.hpp): the first layer of each. None: weights
  // are updated once, when all micro-batches are through.
  std::vector<std::string> pipelined;
  bool operator==(const Lowering&) const = default;
};

// Every layer and the loss cut alike, into pieces of so many leaves; those that cannot be cut stay
// whole. None for 0.
std::vector<Cut> uniform_cuts(const Network& network, std::int64_t leaves);

// Throws InputError if the model cannot be lowered that way.
Graph lower(const Model& model, const Lowering& lowering);

// lower(model, lowering) == graph, without making a graph to compare where the model is one.
bool lowers_to(const Model& model, const Lowering& lowering, const Graph& graph);

}  // namespace stint
