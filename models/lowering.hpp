// Lowering: from the model a user wrote to the graph of tasks that is scheduled. A pure function, so
// that a judge can repeat it. Micro-batches, cuts and replicas change the set of tasks.
//
// A model that is already a graph of tasks is lowered to itself, and to nothing else.
#pragma once

#include <cstdint>

#include "models/graph.hpp"

namespace stint {

struct Lowering {
  std::int64_t batch = 1;
  std::int64_t microbatches = 1;
  std::int64_t replicas = 1;
  bool operator==(const Lowering&) const = default;
};

// Throws InputError if the model cannot be lowered that way.
Graph lower(const Graph& model, const Lowering& lowering);

// lower(model, lowering) == graph, without making a graph to compare where the model is one.
bool lowers_to(const Graph& model, const Lowering& lowering, const Graph& graph);

}  // namespace stint
