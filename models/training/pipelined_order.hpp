// PipeDream's asynchronous pipeline as an order of operations. Layers in a row are dealt out to p
// stages; a step is m micro-batches that run through an empty pipeline until it is empty again.
// Stage i runs the forwards of its first p − 1 − i micro-batches, then a forward and a backward in
// turn, then the backwards left (one forward, one backward). Each micro-batch is a batch of its own
// for the optimizer: its backward on a stage updates the weights of that stage at once.
//
// So the forward of micro-batch j on stage i sees max(0, j − (p − 1 − i)) updates, and its backward
// must see the weights that its forward saw (weight_versions.hpp). No more than p − i micro-batches
// are under way from stage i on. (Narayanan et al., PipeDream, SOSP 2019; its NOAM is p without
// replicas of stages, and like its program the pipeline is emptied now and then: at every step.)
#pragma once

#include <cstdint>
#include <vector>

#include "models/layers/network.hpp"
#include "models/lowering.hpp"
#include "models/training/training.hpp"

namespace stint {

// What a stage does for a micro-batch in one go.
struct StageTurn {
  int stage = 0;
  std::int64_t microbatch = 0;
  bool is_forward = true;
  bool operator==(const StageTurn&) const = default;
};

// All turns of all stages, in an order that respects data: the one in which stages whose turns all
// take the same time would begin them, later stages first. Linear in the turns times the stages.
std::vector<StageTurn> stage_turns(int stages, std::int64_t microbatches);

// By operation, the layer that it goes with, an index into the network's; the loss goes with the
// last one, an update with the layer that completes its gradient.
std::vector<int> layers_of_operations(const Network& network, const Training& training);

// The one that computes the loss; all behind it go back.
std::size_t loss_operation(const Training& training);

struct PipelinedOrder {
  int stages = 0;
  std::vector<int> stage;                           // by operation
  std::vector<std::vector<int>> forward, backward;  // by stage: operations, in their order
  std::vector<StageTurn> turns;

  const std::vector<int>& operations_of(const StageTurn& turn) const {
    return (turn.is_forward ? forward : backward)[turn.stage];
  }
};

// Throws InputError unless `lowering.pipelined` names layers in the network's order, the first one
// first, and there are no replicas.
PipelinedOrder pipelined_order(const Network& network, const Training& training,
                               const Lowering& lowering);

// By stage, the index of its first layer. Throws as above.
std::vector<int> first_layers(const Network& network, const Lowering& lowering);

}  // namespace stint
