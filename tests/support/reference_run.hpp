// What a run must end with, computed without plan, addresses or threads: every task once, in the
// order of the list, on tensors of their own.
#pragma once

#include <cstdint>
#include <string>

#include "models/graph.hpp"

namespace stint {

struct ReferenceRun {
  std::string state_sha256;
  std::string results_sha256;
  bool operator==(const ReferenceRun&) const = default;
};

ReferenceRun reference_run(const Graph& graph, std::int64_t steps, std::int64_t seed = 0);

}  // namespace stint
