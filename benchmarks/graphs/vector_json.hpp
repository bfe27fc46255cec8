// Graphs for which others have found plans: a file of nodes with costs, sizes and what they read,
// and per amount of memory the best known cost and a proved bound. In their order of first runs,
// and without addresses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/graph.hpp"

namespace stint {

struct KnownPlan {
  double share = 0;  // of what keeping everything takes
  std::int64_t bytes = 0;
  double best_seconds = 0;   // 0: none is known
  double bound_seconds = 0;  // proved by others
};

struct GraphVector {
  Graph graph;
  std::vector<KnownPlan> known;
};

// Throws InputError if the file is not one of these.
GraphVector read_vector(const std::string& path);

// Whether the text of the file has what such a file has; others may stand beside them.
bool is_vector(const std::string& path);

}  // namespace stint
