// Replays a plan of mixed checkpointing, step by step. Shares nothing with the solver but its
// types.
#pragma once

#include <string>

#include "planner/chains/mixed.hpp"

namespace stint {

struct MixedReplay {
  std::int64_t forwards = 0;
  std::string fault;  // empty if there is none
};

MixedReplay replay_mixed(const MixedProblem& problem, const MixedPlan& plan);

}  // namespace stint
