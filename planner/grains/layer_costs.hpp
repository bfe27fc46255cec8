// What cutting costs, layer by layer and parameter by parameter, as the platform's time models
// price it on the fastest device for each task: constant terms, weights that every piece reads
// again, partial sums that have to be merged.
//
// Found by lowering the network with one layer cut at a time, so nothing here knows what the tasks
// of a layer are. Linear in the tasks of the step, times the layers.
#pragma once

#include <string>
#include <vector>

#include "models/layers/network.hpp"
#include "models/lowering.hpp"
#include "planner/problem.hpp"

namespace stint {

struct LayerCost {
  std::string layer;
  double piece_seconds = 0;  // what each further piece adds
  double leaf_seconds = 0;   // of its work, 0 if nothing of it can be cut
};

// `whole` is the problem with all layers whole. What it says of layers is from pieces of `grain`
// leaves, a power of two. Heaviest first; layers without tasks left out.
std::vector<LayerCost> layer_costs(const Problem& whole, std::int64_t grain);

// Sums and updates of large parameters in ranges: as many as there are workers, or as are worth
// their overhead; parameters that take a hundredth of the ideal step or more.
std::vector<ParameterSplit> worthwhile_splits(const Problem& whole, int workers);

}  // namespace stint
