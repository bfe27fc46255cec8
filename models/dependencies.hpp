// What must come before what: the dependencies between the tasks of a graph, from its tensors.
//
// A task depends on the writer of what it reads, on the last update of the state it reads listed
// before it, and, if it updates state, on everyone who must still see the old version.
#pragma once

#include <vector>

#include "models/graph.hpp"

namespace stint {

// For every task the tasks it depends on, ascending, each once. A sound graph has only smaller ids.
// Cost: linear in the reads and writes, counted in segments, but for state with many readers.
std::vector<std::vector<TaskId>> dependencies(const Graph& graph);

// The reverse: for every task those that depend on it.
std::vector<std::vector<TaskId>> dependents(const std::vector<std::vector<TaskId>>& dependencies);

// The last task that reads each tensor (or a tensor sharing bytes with it); -1 if none does.
std::vector<TaskId> last_readers(const Graph& graph);

}  // namespace stint
