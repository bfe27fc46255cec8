#include "planner/placement/least_cut.hpp"

#include <algorithm>
#include <limits>

namespace stint {

void CutNetwork::add_arc(int from, int to, std::int64_t capacity) {
  if (capacity <= 0) return;
  arcs_[from].push_back({to, static_cast<int>(arcs_[to].size()), capacity});
  arcs_[to].push_back({from, static_cast<int>(arcs_[from].size()) - 1, 0});
}

std::int64_t CutNetwork::cut(int source, int sink) {
  std::int64_t flow = 0;
  while (find_levels(source, sink)) {
    next_.assign(arcs_.size(), 0);
    while (const std::int64_t more = push(source, sink)) flow += more;
  }
  return flow;
}

bool CutNetwork::find_levels(int source, int sink) {
  level_.assign(arcs_.size(), -1);
  level_[source] = 0;
  std::vector<int> reached{source};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const Arc& arc : arcs_[reached[i]]) {
      if (arc.rest == 0 || level_[arc.to] >= 0) continue;
      level_[arc.to] = level_[reached[i]] + 1;
      reached.push_back(arc.to);
    }
  }
  return level_[sink] >= 0;
}

// The last node of the way gets a successor, if it has one left.
bool CutNetwork::advance(std::vector<int>& way) {
  const int node = way.back();
  for (int& i = next_[node]; i < static_cast<int>(arcs_[node].size()); ++i) {
    const Arc& arc = arcs_[node][i];
    if (arc.rest == 0 || level_[arc.to] != level_[node] + 1) continue;
    way.push_back(arc.to);
    return true;
  }
  return false;
}

// As much as one way carries; 0 if there is none on these levels.
std::int64_t CutNetwork::push(int source, int sink) {
  std::vector<int> way{source};
  while (way.back() != sink) {
    if (advance(way)) continue;
    way.pop_back();
    if (way.empty()) return 0;
    ++next_[way.back()];
  }
  way.pop_back();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const int node : way) most = std::min(most, arcs_[node][next_[node]].rest);
  for (const int node : way) {
    Arc& arc = arcs_[node][next_[node]];
    arc.rest -= most;
    arcs_[arc.to][arc.back].rest += most;
  }
  return most;
}

}  // namespace stint
