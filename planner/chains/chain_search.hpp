// The exact optimum of a heterogeneous chain in any number of memories: A* over all states, with
// nothing assumed about the shape of schedules.
//
// Problem: chain_problem.hpp; states and steps: chain_states.hpp; the guide: chain_bound.hpp. The
// best persistent or offloading schedule (persistent.hpp, offload.hpp) is where it starts; it looks
// only at states that could lead to something better. Guarantee: `optimal` if it finished; else the
// best schedule known and a proved lower bound. How long it may search is counted in states, so the
// answer does not depend on the machine.
//
// Cost: exponential in the number of stages in the worst case; about 100 bytes for a state. Chains
// with more than 256 bits of state are not searched.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/chains/offload.hpp"

namespace stint {

struct ChainSearchOptions {
  int states = 200000;  // at most stored
  bool pinned = false;  // see ChainSpace; persistent schedules keep it anyway
  OffloadOptions start;
};

struct ChainPlan {
  bool feasible = false;  // there is a schedule; if not, and optimal: proved that there is none
  double value = 0;
  ChainOperations operations;  // complete, with drops
  double lower_bound = 0;
  bool optimal = false;
  int states = 0;  // looked at
};

ChainPlan solve_chain(const ChainProblem& problem, std::int64_t fast_bytes,
                      const std::vector<SlowMemory>& slow = {},
                      const ChainSearchOptions& options = {});

struct LeastMemory {
  std::int64_t bytes = 0;        // a schedule exists
  std::int64_t lower_bound = 0;  // none exists with less; equal to `bytes` if that is proved
};

// The least fast memory with which the chain can be done at all.
LeastMemory least_fast_bytes(const ChainProblem& problem, const std::vector<SlowMemory>& slow = {},
                             const ChainSearchOptions& options = {});

}  // namespace stint
