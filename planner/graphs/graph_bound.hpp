// What no plan of a graph can cost less than, on a machine with one device: the master problem of
// moments without an order (moments.hpp), with every run of a task at its least price.
//
// It holds for every order and number of workers of the device, with any recomputation, and with
// everything moved to other memories and back at the price of the links alone. Moments come
// from the search for a plan, and from replays of the master's own solutions (free_moments.hpp).
#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include "planner/bounds.hpp"
#include "planner/chains/recognise.hpp"
#include "planner/graphs/block_row.hpp"
#include "planner/graphs/device_graph.hpp"
#include "planner/graphs/sequence.hpp"
#include "planner/order.hpp"

namespace stint {

struct GraphBoundOptions {
  std::vector<TaskId> moments;  // the most important first
  TaskOrder order;              // of a good plan
  double work = 1;              // the solver's units
  double enough = 0;            // bound at which to stop; 0: none
  bool by_highs = false;        // instead of CP-SAT, where it can
  // A price on seconds, given back for those until the deadline (Lagrange); it may be any.
  double second_joules = 0;
  const std::atomic<bool>* interrupted = nullptr;
};

struct BoundByMoments {
  Bound bound;
  TaskSequence sequence;  // that fits, in any order: a solution of the master; empty: none did
};

// Of the request's objective. Nothing if the machine is of another kind, or there is nothing to
// gain.
std::optional<BoundByMoments> graph_bound(const Problem& problem, const DeviceGraph& graph,
                                          const GraphBoundOptions& options);

struct BoundByBlocks {
  Bound bound;
  RowShape shape;  // of the blocks that tell most
};

// The same by what each block of a chain must compute again on its own (block_bound.hpp). Nothing
// also where things may leave the memory, or time counts beside work.
std::optional<BoundByBlocks> graph_bound_by_blocks(const Problem& problem, const DeviceGraph& graph,
                                                   const TaskChain& chain,
                                                   const GraphBoundOptions& options);

}  // namespace stint
