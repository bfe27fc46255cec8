// Numbers about a graph that its summaries show.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/graph.hpp"

namespace stint {

// Work on one kind (or name) of device for which tasks give their seconds.
struct WorkFacts {
  std::int64_t tasks = 0;  // that give them
  double seconds = 0;
  double critical_path_seconds = 0;  // tasks without seconds count as 0
};

struct KindFacts {
  std::int64_t tensors = 0;
  std::int64_t bytes = 0;  // parts count in their wholes
};

struct GraphFacts {
  std::map<Phase, std::int64_t> tasks_by_phase;
  std::map<Kind, KindFacts> tensors_by_kind;
  std::map<std::string, WorkFacts> work_by_device;
  std::vector<TensorId> largest;       // at most five, largest first
  std::int64_t working_set_bytes = 0;  // the most that one task needs at once
  int working_set_task = -1;
};

GraphFacts graph_facts(const Graph& graph);

}  // namespace stint
