// The pieces of check(graph), in the order in which they run: each may rely on those before it. All
// throw InputError, naming the place as a JSON pointer. Used by check_*.cpp only.
#pragma once

#include <cstdint>
#include <string>

#include "models/graph.hpp"

namespace stint {

// Adds up the sizes of all tensors and workspaces, so that no sum of sizes ever overflows.
class TotalBytes {
 public:
  // Nothing if the size is sensible and still fits, else the fault.
  std::string add(std::int64_t bytes);

 private:
  std::int64_t total_ = 0;
};

// Nothing if a name is usable, else the fault: it is empty, or would not stay on one line.
std::string fault_in_name(const std::string& name);

// Names, sizes, kinds, and parts inside their wholes.
void check_tensors(const Graph& graph, TotalBytes& total);

// Names, lists and numbers of tasks, and the list of results.
void check_tasks(const Graph& graph, TotalBytes& total);

// Who computes what: one writer for every byte, everything read or asked for computed, and before
// it is read.
void check_flow(const Graph& graph);

}  // namespace stint
