// What the layers of a pipeline take, for those who cut them into stages: seconds on every device,
// bytes that a cut behind a layer sends on and back, bytes held for the backward, bytes of state.
// Of one micro-batch, all taken together and shared equally.
#pragma once

#include <vector>

#include "planner/pipelines/pipeline_tasks.hpp"

namespace stint {

struct LayerCosts {
  std::vector<std::vector<double>> seconds;  // [device][layer]; infinite: cannot run there
  std::vector<double> sent_on_bytes;         // by layer: forward over the cut behind it
  std::vector<double> sent_back_bytes;
  std::vector<double> held_bytes;   // by layer: made forward, read backward
  std::vector<double> state_bytes;  // by layer: updated there
  std::vector<char> can_cut;        // by layer: tasks on both sides need not share a memory
};

LayerCosts layer_costs(const PlacedGraph& graph, const PipelineTasks& tasks);

}  // namespace stint
