// What no plan of a training step computes again less than, by its blocks (block_row.hpp): each
// must do its backward in the memory that others leave it.
//
// From where the first backward begins to where its own begins, a block j has at least a_j bytes of
// its items there at all times. Nothing else of it is left at one of these times, so it computes
// again at least r_j(a_j, M - a_{j+1} - a_{j+2} - …): what it can do best with so many bytes kept,
// and with all the memory but what blocks behind it in the backward hold (block_reruns.hpp). The
// least sum of these over all a is a bound for every order, on any number of workers:
//
//   V_j(K) = min over a of  r_j(a, M - (K - a)) + V_{j+1}(K - a)      K: bytes of j and all after
//
// Bytes are counted in units, those that are kept rounded to the bound's disfavour. r_j is known to
// fall with a and with the memory; only what the least sum depends on is searched for, again and
// again until all of it is exact. Blocks that are alike are searched once. Cost: the searches;
// blocks · units² for every round.
#pragma once

#include <atomic>
#include <cstdint>

#include "planner/graphs/block_row.hpp"

namespace stint {

struct BlockBoundOptions {
  std::int64_t capacity_bytes = 0;
  std::int64_t enough = INT64_MAX;  // bound at which to stop
  std::int64_t most_states = 0;     // of all searches
  bool is_alone = false;            // as in RerunLimits: for a plan
  const std::atomic<bool>* interrupted = nullptr;
};

struct BlockBound {
  std::int64_t cost = 0;     // of what runs again, at least
  bool is_over = false;      // with more states it would be no more
  std::vector<Reruns> ways;  // by block, where the least sum is exact: how each of them does it
};

BlockBound block_bound(const BlockRow& row, const BlockBoundOptions& options);

}  // namespace stint
