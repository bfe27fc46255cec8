#include "models/dependencies.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "models/segments.hpp"
#include "tests/support/chain_graph.hpp"
#include "tests/support/random_graph.hpp"

using namespace stint;

namespace {

using Rows = std::vector<std::vector<int>>;

Rows plain(const std::vector<std::vector<TaskId>>& lists) {
  Rows rows;
  for (const auto& list : lists) rows.emplace_back(list.begin(), list.end());
  return rows;
}

bool touches(const std::vector<TensorId>& list, const Segments& all, int segment) {
  return std::any_of(list.begin(), list.end(), [&](TensorId tensor) {
    return all.of_tensor[tensor].begin <= segment && segment < all.of_tensor[tensor].end;
  });
}

// Must `later` follow `earlier` because of this segment? Straight from the definition.
bool must_follow(const Graph& graph, const Segments& all, int segment, int earlier, int later) {
  const Task& a = graph.tasks[earlier];
  const Task& b = graph.tasks[later];
  const bool reads = touches(b.reads, all, segment);
  const bool updates = touches(b.updates, all, segment);
  if (touches(a.writes, all, segment)) return reads;
  // State: between the two nobody else may make a new version.
  for (int other = earlier + 1; other < later; ++other) {
    if (touches(graph.tasks[other].updates, all, segment)) return false;
  }
  if (touches(a.updates, all, segment)) return reads || updates;
  return touches(a.reads, all, segment) && updates;
}

Rows naive_dependencies(const Graph& graph) {
  const Segments all = segments(graph);
  Rows rows(graph.tasks.size());
  for (int later = 0; later < static_cast<int>(rows.size()); ++later) {
    for (int earlier = 0; earlier < later; ++earlier) {
      bool follows = false;
      for (int segment = 0; segment < all.count(); ++segment) {
        follows = follows || must_follow(graph, all, segment, earlier, later);
      }
      if (follows) rows[later].push_back(earlier);
    }
  }
  return rows;
}

// State "w" and one task for each letter: r reads it, u updates it, b does both.
Graph users_of_state(const std::string& letters) {
  Graph graph;
  graph.tensors = {{.name = "w", .bytes = 1, .kind = Kind::state, .part_of = {}}};
  for (const char letter : letters) {
    Task task;
    if (letter != 'u') task.reads = {TensorId{0}};
    if (letter != 'r') task.updates = {TensorId{0}};
    graph.tasks.push_back(task);
  }
  return graph;
}

}  // namespace

TEST_CASE("each task of a chain depends on the one before and on its own input", "[dependencies]") {
  REQUIRE(plain(dependencies(chain_graph(2))) == Rows{{}, {0}, {1}, {0, 2}, {3}});
}

TEST_CASE("a reader of state follows the last update, an update those who read before it",
          "[dependencies]") {
  REQUIRE(plain(dependencies(users_of_state("rrur"))) == Rows{{}, {}, {0, 1}, {2}});
  REQUIRE(plain(dependencies(users_of_state("ururu"))) == Rows{{}, {0}, {0, 1}, {2}, {2, 3}});
}

TEST_CASE("a task that reads and updates state does not depend on itself", "[dependencies]") {
  REQUIRE(plain(dependencies(users_of_state("bb"))) == Rows{{}, {0}});
}

TEST_CASE("many updates among many readers give edges in proportion", "[dependencies]") {
  std::string letters;
  for (int i = 0; i < 1000; ++i) letters += "rru";
  std::size_t edges = 0;
  for (const auto& before : dependencies(users_of_state(letters))) edges += before.size();
  REQUIRE(edges < 2 * letters.size());
}

TEST_CASE("the dependencies of random graphs are those of the definition", "[dependencies]") {
  const std::uint64_t seed = GENERATE(range(0, 100));
  CAPTURE(seed);
  const Graph graph = random_graph(seed);
  REQUIRE(plain(dependencies(graph)) == naive_dependencies(graph));
}

TEST_CASE("dependents are dependencies the other way round", "[dependencies]") {
  const auto before = dependencies(random_graph(5, {.tasks = 40}));
  const auto after = dependents(before);
  Rows back(before.size());
  for (int i = 0; i < static_cast<int>(after.size()); ++i) {
    for (const TaskId later : after[i]) back[later].push_back(i);
  }
  REQUIRE(back == plain(before));
}

TEST_CASE("the last reader of a tensor is the last to read or update any of its bytes",
          "[dependencies]") {
  const std::uint64_t seed = GENERATE(range(0, 50));
  const Graph graph = random_graph(seed);
  const Segments all = segments(graph);
  const auto last = last_readers(graph);
  for (std::size_t id = 0; id < graph.tensors.size(); ++id) {
    int expected = -1;
    for (int task = 0; task < static_cast<int>(graph.tasks.size()); ++task) {
      for (int segment = all.of_tensor[id].begin; segment < all.of_tensor[id].end; ++segment) {
        if (touches(graph.tasks[task].reads, all, segment) ||
            touches(graph.tasks[task].updates, all, segment)) {
          expected = task;
        }
      }
    }
    CAPTURE(seed, id);
    REQUIRE(last[id] == expected);
  }
}
