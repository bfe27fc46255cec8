// Questions about the shape of a graph of tasks, answered by Boost.Graph. Tasks are vertices; the
// edges are given as `dependencies(graph)` gives them.
#pragma once

#include <vector>

#include "models/graph.hpp"

namespace stint {

using Predecessors = std::vector<std::vector<TaskId>>;

// An order in which every task follows what it depends on, or nothing if there is a cycle. Among
// the possible orders the smallest ids come first, so the answer is unique.
std::vector<TaskId> topological_order(const Predecessors& predecessors);

// One cycle, in order, if there is one; else empty.
std::vector<TaskId> find_cycle(const Predecessors& predecessors);

// reachable[i][j]: there is a path from task i to task j (i reaches itself). Needs an acyclic
// graph, as do the longest paths below. O(n·m / 64) steps, n² bits.
std::vector<std::vector<bool>> reachability(const Predecessors& predecessors);

// The tasks whose removal disconnects the undirected graph, ascending: where a network is cut into
// blocks.
std::vector<TaskId> articulation_points(const Predecessors& predecessors);

// The longest path ending at each task, its own weight included.
std::vector<double> longest_paths_to(const Predecessors& predecessors,
                                     const std::vector<double>& weights);
// The longest path starting at each task, its own weight included.
std::vector<double> longest_paths_from(const Predecessors& predecessors,
                                       const std::vector<double>& weights);

struct CriticalPath {
  double length = 0;
  std::vector<TaskId> tasks;
};
CriticalPath critical_path(const Predecessors& predecessors, const std::vector<double>& weights);

}  // namespace stint
