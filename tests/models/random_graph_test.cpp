#include "tests/support/random_graph.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/chain_graph.hpp"

using namespace stint;

namespace {

template <typename Has>
bool some_task(const Graph& graph, Has has) {
  return std::any_of(graph.tasks.begin(), graph.tasks.end(), has);
}

template <typename Has>
bool some_tensor(const Graph& graph, Has has) {
  return std::any_of(graph.tensors.begin(), graph.tensors.end(), has);
}

bool has_updates(const Task& task) { return !task.updates.empty(); }
bool has_optional(const Task& task) { return !task.optional.empty(); }
bool has_overwrite(const Task& task) { return !task.may_overwrite.empty(); }
bool has_workspace(const Task& task) { return task.workspace_bytes > 0; }
bool is_part(const Tensor& tensor) { return tensor.part_of.has_value(); }
bool is_empty(const Tensor& tensor) { return tensor.bytes == 0; }

}  // namespace

TEST_CASE("random graphs of every size are sound", "[random_graph]") {
  const int tasks = GENERATE(1, 2, 5, 12, 40);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(tasks, seed);
    const Graph graph = random_graph(seed, {.tasks = tasks});
    REQUIRE_NOTHROW(check(graph));
    REQUIRE(graph.tasks.size() == static_cast<std::size_t>(tasks));
  }
}

TEST_CASE("the same seed gives the same random graph, another seed another", "[random_graph]") {
  REQUIRE(random_graph(7) == random_graph(7));
  REQUIRE_FALSE(random_graph(7) == random_graph(8));
}

TEST_CASE("random graphs have every feature that is asked for", "[random_graph]") {
  const Graph graph = random_graph(3, {.tasks = 100});
  CHECK(some_task(graph, has_updates));
  CHECK(some_task(graph, has_optional));
  CHECK(some_task(graph, has_overwrite));
  CHECK(some_task(graph, has_workspace));
  CHECK(some_tensor(graph, is_part));
  CHECK(some_tensor(graph, is_empty));
}

TEST_CASE("random graphs have no feature that is switched off", "[random_graph]") {
  const Graph graph = random_graph(3, {.tasks = 100,
                                       .max_bytes = 64,
                                       .with_state = false,
                                       .with_parts = false,
                                       .with_optional = false,
                                       .with_overwrite = false,
                                       .with_workspace = false,
                                       .with_zero_bytes = false});
  CHECK_FALSE(some_task(graph, has_updates));
  CHECK_FALSE(some_task(graph, has_optional));
  CHECK_FALSE(some_task(graph, has_overwrite));
  CHECK_FALSE(some_task(graph, has_workspace));
  CHECK_FALSE(some_tensor(graph, is_part));
  CHECK_FALSE(some_tensor(graph, is_empty));
}

TEST_CASE("chains of every length are sound", "[chain_graph]") {
  const int steps = GENERATE(0, 1, 2, 5, 50);
  const Graph graph = chain_graph(steps, 7, 3);
  REQUIRE_NOTHROW(check(graph));
  REQUIRE(graph.tasks.size() == static_cast<std::size_t>(2 * steps + 1));
}

TEST_CASE("the bundled chain is the chain of five steps", "[chain_graph]") {
  Graph bundled = read_graph(STINT_SOURCE_DIR "/models/chain5.json");
  bundled.description.clear();
  REQUIRE(bundled == chain_graph(5));
}
