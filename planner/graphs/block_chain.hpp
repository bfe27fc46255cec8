// Plans of a training graph from those of its blocks: for every block one of its options
// (block_frontier.hpp), or only its input is kept and it is run forward again later, again and
// again if need be. The best choice for every amount of memory by dynamic programming:
//
//   C(i, j, m): blocks i … j, forward and back, within m bytes, x_i there, is the least of
//     i kept as o:  cost of o + C(i + 1, j, m - kept by o)          if the peaks of o fit into m
//     x_k kept:     forwards of i … k - 1 + C(k, j, m - x_i) + C(i, k - 1, m)      for i < k <= j
//
// and both again for an x_i that somebody else keeps anyway. This is the chain of Beaumont et al.
// (ACM TOMS 2024) with several tapes for every stage. Memory is counted in a few hundred units and
// rounded to either side; what a plan really takes is measured, and of all plans along the
// memory axis the cheapest that fits is taken. A good start, also where memory is so tight that
// things are computed three times; not the optimum. Cost: blocks³ · units.
#pragma once

#include <optional>

#include "planner/graphs/block_frontier.hpp"
#include "planner/graphs/retention_search.hpp"

namespace stint {

// Nothing if the graph has no blocks, or no such plan fits. `solver` tells how many blocks
// differed.
std::optional<GraphPlan> block_plan(const DeviceGraph& graph, const std::vector<double>& costs,
                                    const TaskChain& chain, std::int64_t capacity_bytes,
                                    BlockSolver& solver);

}  // namespace stint
