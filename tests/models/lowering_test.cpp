#include "models/lowering.hpp"

#include <catch2/catch.hpp>

#include "tests/support/random_graph.hpp"

using namespace stint;

TEST_CASE("a graph of tasks is lowered to itself", "[lowering]") {
  const Graph graph = random_graph(11);
  REQUIRE(lower(graph, {}) == graph);
  REQUIRE(lowers_to(graph, {}, graph));
  REQUIRE(!lowers_to(graph, {}, random_graph(12)));
}

TEST_CASE("a graph of tasks has no other lowering", "[lowering]") {
  const Graph graph = random_graph(11);
  const std::string rest = "which needs a model of layers; expected 1 for a graph of tasks";
  CHECK_THROWS_WITH(lower(graph, {.batch = 2}), "/lowering/batch: 2, " + rest);
  CHECK_THROWS_WITH(lower(graph, {.microbatches = 0}), "/lowering/microbatches: 0, " + rest);
  CHECK_THROWS_WITH(lower(graph, {.leaves = 2}), "/lowering/leaves: 2, " + rest);
  CHECK_THROWS_WITH(lower(graph, {.replicas = -1}), "/lowering/replicas: -1, " + rest);
  CHECK_THROWS_WITH(lower(graph, {.layout = ImageLayout::nchw}),
                    "/lowering/layout: nchw, which needs a model of layers; expected nhwc for a "
                    "graph of tasks");
  CHECK_THROWS_WITH(
      lower(graph, {.cuts = {{"conv1", 2}}}),
      "/lowering/cuts: a cut of \"conv1\", which needs a model of layers; expected none");
  CHECK_THROWS_WITH(lowers_to(graph, {.batch = 2}, graph), "/lowering/batch: 2, " + rest);
}
