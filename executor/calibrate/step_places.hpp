// Where the tensors of a step lie while it is measured: at the lowest address that is free from
// their first use to their last, tasks in listed order, outputs in the place of inputs that they
// may overwrite. Much like a plan that keeps everything, so that caches see what they see in a run.
//
// Not a plan: there is no bound, and nothing is proved. Quadratic in the tensors that live at once.
#pragma once

#include <cstdint>
#include <vector>

#include "models/graph.hpp"

namespace stint {

struct StepPlaces {
  std::int64_t bytes = 0;                // of everything
  std::vector<std::int64_t> tensors;     // offsets, by tensor
  std::vector<std::int64_t> workspaces;  // offsets, by task
};

StepPlaces step_places(const Graph& graph, const std::vector<std::int64_t>& workspace_bytes);

}  // namespace stint
