// A second opinion on schedules of heterogeneous chains: performs them one operation at a time,
// from the definition of the problem alone.
#pragma once

#include <string>
#include <vector>

#include "planner/chains/chain_problem.hpp"

namespace stint {

struct ChainReplay {
  std::string fault;  // empty: legal and complete
  double cost = 0;
  std::vector<std::int64_t> peak_bytes;  // by memory
};

// `pinned`: x_i must not become unavailable in the fast memory while the tape of stage i is there.
ChainReplay replay(const ChainProblem& problem, const std::vector<std::int64_t>& capacities,
                   const std::vector<SlowMemory>& slow, const ChainOperations& operations,
                   bool pinned = false);

}  // namespace stint
