// The reference cases of hierarchies, data/h_revolve.txt.
#pragma once

#include <optional>
#include <vector>

#include "planner/chains/sync_steps.hpp"

namespace stint {

struct ReferenceSync {
  int number = 0;
  SyncProblem problem;
  double h_revolve = 0;         // of the recurrence, levels in the listed order
  std::optional<double> exact;  // by exhaustive search, where that was run
  bool monotone = false;
};

std::vector<ReferenceSync> reference_sync_cases();

}  // namespace stint
