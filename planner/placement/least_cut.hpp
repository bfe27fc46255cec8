// The cut of least capacity between two nodes of a network, by Dinic's algorithm: flow along
// shortest ways, as much as they carry, until there is none (1970). O(n² m) at worst, on networks
// of tasks far less.
#pragma once

#include <cstdint>
#include <vector>

namespace stint {

class CutNetwork {
 public:
  explicit CutNetwork(int nodes) : arcs_(nodes) {}

  // Capacities are sums of positive numbers; arcs of none are left out.
  void add_arc(int from, int to, std::int64_t capacity);
  // The capacity of the cut. May be asked once.
  std::int64_t cut(int source, int sink);
  // Whether the node is on the source's side of the cut that was found.
  bool is_on_source_side(int node) const { return level_[node] >= 0; }

 private:
  struct Arc {
    int to = 0;
    int back = 0;  // place among the arcs of `to`
    std::int64_t rest = 0;
  };
  bool find_levels(int source, int sink);
  std::int64_t push(int source, int sink);
  bool advance(std::vector<int>& way);

  std::vector<std::vector<Arc>> arcs_;
  std::vector<int> level_;  // -1: not reached
  std::vector<int> next_;   // by node: the arc to try
};

}  // namespace stint
