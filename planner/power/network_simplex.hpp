// A circulation of least cost in a network with capacities: the primal network simplex with
// strongly feasible trees (Cunningham 1976), so that it cannot cycle; arcs are priced in blocks.
//
// Whole numbers, so that it ends exactly. It begins with no flow and a tree that the caller gives,
// which saves most of the pivots where a good one is known. A pivot takes time in proportion to
// the part of the tree that it moves.
#pragma once

#include <cstdint>
#include <vector>

namespace stint {

struct FlowArc {
  int from = 0;
  int to = 0;
  std::int64_t capacity = 0;  // above 0
  std::int64_t cost = 0;      // of a unit of flow
};

struct Circulation {
  std::vector<std::int64_t> flow;       // by arc
  std::vector<std::int64_t> potential;  // by node: along arcs in the tree it grows by their cost
  bool is_optimal = false;              // or the work ran out; the flow is one in any case
  std::int64_t work = 0;                // elementary steps that it took
};

// `parent_arc`: by node an arc that leaves it towards the root, which has -1. Sums of costs along
// paths, and of capacities, must stay below 2^62.
Circulation least_cost_circulation(const std::vector<FlowArc>& arcs,
                                   const std::vector<int>& parent_arc, std::int64_t work);

}  // namespace stint
