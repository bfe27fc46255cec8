#include "models/graph_algorithms.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <random>

#include "models/dependencies.hpp"
#include "tests/support/chain_graph.hpp"
#include "tests/support/random_graph.hpp"

using namespace stint;

namespace {

Predecessors edges_into(const std::vector<std::vector<int>>& lists) {
  Predecessors predecessors;
  for (const auto& list : lists) {
    predecessors.emplace_back();
    for (const int task : list) predecessors.back().push_back(static_cast<TaskId>(task));
  }
  return predecessors;
}

// A random acyclic graph whose ids follow no order, with about one edge in `sparsity` pairs.
Predecessors random_edges(std::uint64_t seed, int count, std::uint64_t sparsity) {
  std::mt19937_64 random(seed);
  std::vector<TaskId> place;
  for (int i = 0; i < count; ++i) {
    place.insert(place.begin() + static_cast<long>(random() % (i + 1)), static_cast<TaskId>(i));
  }
  Predecessors predecessors(count);
  for (int later = 0; later < count; ++later) {
    for (int earlier = 0; earlier < later; ++earlier) {
      if (random() % sparsity == 0) predecessors[place[later]].push_back(place[earlier]);
    }
  }
  for (auto& before : predecessors) std::sort(before.begin(), before.end());
  return predecessors;
}

std::vector<int> plain(const std::vector<TaskId>& tasks) { return {tasks.begin(), tasks.end()}; }

// The order by the definition: always the smallest task all of whose predecessors are done.
std::vector<int> naive_order(const Predecessors& predecessors) {
  std::vector<int> order;
  std::vector<bool> done(predecessors.size());
  while (order.size() < predecessors.size()) {
    for (std::size_t i = 0; i < predecessors.size(); ++i) {
      const auto& before = predecessors[i];
      const bool ready = std::all_of(before.begin(), before.end(), [&](int b) { return done[b]; });
      if (done[i] || !ready) continue;
      done[i] = true;
      order.push_back(static_cast<int>(i));
      break;
    }
  }
  return order;
}

void visit(int task, const Predecessors& neighbours, std::vector<bool>& seen) {
  if (seen[task]) return;
  seen[task] = true;
  for (const TaskId other : neighbours[task]) visit(other, neighbours, seen);
}

// Connected components of the undirected graph, without the task `removed`.
int components(const Predecessors& predecessors, int removed) {
  Predecessors neighbours(predecessors.size());
  for (int i = 0; i < static_cast<int>(predecessors.size()); ++i) {
    for (const TaskId other : predecessors[i]) {
      if (i == removed || other == removed) continue;
      neighbours[i].push_back(other);
      neighbours[other].push_back(static_cast<TaskId>(i));
    }
  }
  int count = 0;
  std::vector<bool> seen(predecessors.size());
  for (int i = 0; i < static_cast<int>(predecessors.size()); ++i) {
    if (i == removed || seen[i]) continue;
    visit(i, neighbours, seen);
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("the order of tasks is the smallest that respects dependencies", "[graph_algorithms]") {
  const std::uint64_t seed = GENERATE(range(0, 40));
  const auto edges = random_edges(seed, 20, 1 + seed % 8);
  REQUIRE(plain(topological_order(edges)) == naive_order(edges));
}

TEST_CASE("a sound graph is already in its order", "[graph_algorithms]") {
  const auto order = topological_order(dependencies(random_graph(1, {.tasks = 50})));
  REQUIRE(order.size() == 50);
  REQUIRE(std::is_sorted(order.begin(), order.end()));
}

TEST_CASE("a graph with a cycle has no order", "[graph_algorithms]") {
  REQUIRE(topological_order(edges_into({{}, {0, 2}, {1}})).empty());
}

TEST_CASE("an acyclic graph has no cycle to find", "[graph_algorithms]") {
  const std::uint64_t seed = GENERATE(range(0, 20));
  REQUIRE(find_cycle(random_edges(seed, 20, 3)).empty());
}

TEST_CASE("a cycle that is found is one, in the order of its edges", "[graph_algorithms]") {
  const std::uint64_t seed = GENERATE(range(0, 40));
  auto edges = random_edges(seed, 20, 4);
  const auto order = topological_order(edges);
  edges[order.front()].push_back(order.back());
  const bool is_cyclic = topological_order(edges).empty();
  const auto cycle = find_cycle(edges);
  REQUIRE(cycle.empty() != is_cyclic);
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const auto& before = edges[cycle[(i + 1) % cycle.size()]];
    REQUIRE(std::find(before.begin(), before.end(), cycle[i]) != before.end());
  }
}

TEST_CASE("a task that depends on itself is a cycle", "[graph_algorithms]") {
  REQUIRE(plain(find_cycle(edges_into({{}, {1}}))) == std::vector{1});
}

TEST_CASE("a cycle of a hundred thousand tasks is found without deep recursion",
          "[graph_algorithms]") {
  Predecessors ring(100'000);
  for (int i = 0; i < 100'000; ++i) ring[(i + 1) % 100'000] = {static_cast<TaskId>(i)};
  REQUIRE(find_cycle(ring).size() == 100'000);
}

TEST_CASE("what is reachable is what a search from each task visits", "[graph_algorithms]") {
  const std::uint64_t seed = GENERATE(range(0, 20));
  const auto edges = random_edges(seed, 70, 2 + seed);
  const auto successors = dependents(edges);
  const auto reachable = reachability(edges);
  for (int i = 0; i < 70; ++i) {
    std::vector<bool> seen(70);
    visit(i, successors, seen);
    REQUIRE(reachable[i] == seen);
  }
}

TEST_CASE("articulation points are the tasks whose removal leaves more pieces",
          "[graph_algorithms]") {
  const std::uint64_t seed = GENERATE(range(0, 60));
  const auto edges = random_edges(seed, 16, 3 + seed % 6);
  std::vector<int> expected;
  for (int i = 0; i < 16; ++i) {
    // An isolated task takes its own piece with it.
    if (components(edges, i) > components(edges, -1)) expected.push_back(i);
  }
  REQUIRE(plain(articulation_points(edges)) == expected);
}

TEST_CASE("two diamonds in a row are cut where they meet", "[graph_algorithms]") {
  const auto edges = edges_into({{}, {0}, {0}, {1, 2}, {3}, {3}, {4, 5}});
  REQUIRE(plain(articulation_points(edges)) == std::vector{3});
}

TEST_CASE("the longest paths of a diamond go through its heavier side", "[graph_algorithms]") {
  const auto edges = edges_into({{}, {0}, {0}, {1, 2}});
  const std::vector<double> weights = {1, 5, 2, 1};
  REQUIRE(longest_paths_to(edges, weights) == std::vector<double>{1, 6, 3, 7});
  REQUIRE(longest_paths_from(edges, weights) == std::vector<double>{7, 6, 3, 1});
  const CriticalPath path = critical_path(edges, weights);
  REQUIRE(path.length == 7);
  REQUIRE(plain(path.tasks) == std::vector{0, 1, 3});
}

TEST_CASE("the critical path is a path, and as long as it says", "[graph_algorithms]") {
  const std::uint64_t seed = GENERATE(range(0, 30));
  const auto edges = random_edges(seed, 25, 4);
  std::vector<double> weights;
  for (int i = 0; i < 25; ++i) weights.push_back((i * 7 + static_cast<int>(seed)) % 11);
  const CriticalPath path = critical_path(edges, weights);
  const auto to = longest_paths_to(edges, weights);
  const auto from = longest_paths_from(edges, weights);
  double length = 0;
  for (std::size_t i = 0; i < path.tasks.size(); ++i) {
    const TaskId task = path.tasks[i];
    length += weights[task];
    REQUIRE(to[task] + from[task] - weights[task] == path.length);
    if (i == 0) continue;
    const auto& before = edges[task];
    REQUIRE(std::find(before.begin(), before.end(), path.tasks[i - 1]) != before.end());
  }
  REQUIRE(length == path.length);
  REQUIRE(*std::max_element(to.begin(), to.end()) == path.length);
}

TEST_CASE("the critical path of no tasks is empty", "[graph_algorithms]") {
  REQUIRE(critical_path({}, {}).tasks.empty());
}

TEST_CASE("the critical path of the chain is all of it", "[graph_algorithms]") {
  const auto edges = dependencies(chain_graph(5));
  REQUIRE(critical_path(edges, std::vector<double>(11, 1.0)).length == 11);
}
