// Replays a plan under the synchronous model, step by step. Shares nothing with the solvers but the
// types of sync_steps.hpp.
#pragma once

#include <string>
#include <vector>

#include "planner/chains/sync_steps.hpp"

namespace stint {

struct SyncReplay {
  double cost = 0;
  std::string fault;   // of the first step that is not allowed; empty if there is none
  int most_reads = 0;  // of one checkpoint, at any level but 0
};

SyncReplay replay_sync(const SyncProblem& problem, const std::vector<SyncStep>& steps);

}  // namespace stint
