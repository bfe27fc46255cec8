#include "models/graph_algorithms.hpp"

#include <algorithm>
#include <boost/dynamic_bitset.hpp>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/biconnected_components.hpp>
#include <boost/graph/depth_first_search.hpp>
#include <functional>
#include <queue>

#include "models/dependencies.hpp"

namespace stint {
namespace {

template <typename Direction>
using BoostGraph = boost::adjacency_list<boost::vecS, boost::vecS, Direction>;

// Edges run from what comes first to what depends on it.
template <typename Direction>
BoostGraph<Direction> boost_graph(const Predecessors& predecessors) {
  BoostGraph<Direction> graph(predecessors.size());
  for (std::size_t i = 0; i < predecessors.size(); ++i) {
    for (const TaskId earlier : predecessors[i]) boost::add_edge(earlier, i, graph);
  }
  return graph;
}

// Stops the search at the first edge that closes a circle.
struct CycleFinder : boost::dfs_visitor<> {
  struct Found {
    std::size_t last;   // the edge from here …
    std::size_t first;  // … to here closes the circle
  };

  explicit CycleFinder(std::vector<std::size_t>& parents) : parent(parents) {}
  template <typename Edge, typename Graph>
  void tree_edge(const Edge& edge, const Graph& graph) const {
    parent[boost::target(edge, graph)] = boost::source(edge, graph);
  }
  template <typename Edge, typename Graph>
  void back_edge(const Edge& edge, const Graph& graph) const {
    throw Found{boost::source(edge, graph), boost::target(edge, graph)};
  }

  std::vector<std::size_t>& parent;
};

// The longest paths along `neighbours`, for tasks in an order in which neighbours come first.
template <typename Order>
std::vector<double> longest_paths(const Predecessors& neighbours, const Order& order,
                                  const std::vector<double>& weights) {
  std::vector<double> length = weights;
  for (const TaskId task : order) {
    double longest = 0;
    for (const TaskId other : neighbours[task]) longest = std::max(longest, length[other]);
    length[task] += longest;
  }
  return length;
}

std::vector<TaskId> reversed(std::vector<TaskId> order) {
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace

std::vector<TaskId> topological_order(const Predecessors& predecessors) {
  const auto successors = dependents(predecessors);
  std::vector<std::size_t> missing;
  std::priority_queue<TaskId, std::vector<TaskId>, std::greater<>> ready;
  for (std::size_t i = 0; i < predecessors.size(); ++i) {
    missing.push_back(predecessors[i].size());
    if (missing[i] == 0) ready.push(static_cast<TaskId>(i));
  }
  std::vector<TaskId> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const TaskId next : successors[order.back()]) {
      if (--missing[next] == 0) ready.push(next);
    }
  }
  if (order.size() < predecessors.size()) order.clear();
  return order;
}

std::vector<TaskId> find_cycle(const Predecessors& predecessors) {
  std::vector<std::size_t> parent(predecessors.size());
  const auto graph = boost_graph<boost::directedS>(predecessors);
  try {
    boost::depth_first_search(graph, boost::visitor(CycleFinder(parent)));
  } catch (const CycleFinder::Found& edge) {
    std::vector<TaskId> cycle = {static_cast<TaskId>(edge.last)};
    while (cycle.back() != static_cast<int>(edge.first)) {
      cycle.push_back(static_cast<TaskId>(parent[cycle.back()]));
    }
    return reversed(std::move(cycle));
  }
  return {};
}

std::vector<std::vector<bool>> reachability(const Predecessors& predecessors) {
  const std::size_t count = predecessors.size();
  std::vector<boost::dynamic_bitset<>> reached(count, boost::dynamic_bitset<>(count));
  for (const TaskId task : reversed(topological_order(predecessors))) {
    reached[task].set(task);
    for (const TaskId earlier : predecessors[task]) reached[earlier] |= reached[task];
  }
  std::vector<std::vector<bool>> rows(count, std::vector<bool>(count));
  for (std::size_t i = 0; i < count; ++i) {
    for (auto j = reached[i].find_first(); j != reached[i].npos; j = reached[i].find_next(j)) {
      rows[i][j] = true;
    }
  }
  return rows;
}

std::vector<TaskId> articulation_points(const Predecessors& predecessors) {
  const auto graph = boost_graph<boost::undirectedS>(predecessors);
  std::vector<std::size_t> found;
  boost::articulation_points(graph, std::back_inserter(found));
  std::sort(found.begin(), found.end());
  std::vector<TaskId> points;
  for (const std::size_t vertex : found) points.push_back(static_cast<TaskId>(vertex));
  return points;
}

std::vector<double> longest_paths_to(const Predecessors& predecessors,
                                     const std::vector<double>& weights) {
  return longest_paths(predecessors, topological_order(predecessors), weights);
}

std::vector<double> longest_paths_from(const Predecessors& predecessors,
                                       const std::vector<double>& weights) {
  return longest_paths(dependents(predecessors), reversed(topological_order(predecessors)),
                       weights);
}

CriticalPath critical_path(const Predecessors& predecessors, const std::vector<double>& weights) {
  CriticalPath path;
  if (predecessors.empty()) return path;
  const auto length = longest_paths_to(predecessors, weights);
  const auto longer = [&](TaskId a, TaskId b) { return length[a] < length[b]; };
  const auto last = std::max_element(length.begin(), length.end());
  path.length = *last;
  path.tasks = {static_cast<TaskId>(last - length.begin())};
  while (!predecessors[path.tasks.back()].empty()) {
    const auto& before = predecessors[path.tasks.back()];
    path.tasks.push_back(*std::max_element(before.begin(), before.end(), longer));
  }
  path.tasks = reversed(std::move(path.tasks));
  return path;
}

}  // namespace stint
