#include "models/parts.hpp"

#include <catch2/catch.hpp>

using namespace stint;

namespace {

// A tensor for each entry: a part of the tensor with that index, or of none if it is -1.
Graph forest(const std::vector<int>& wholes) {
  Graph graph;
  for (const int whole : wholes) {
    Tensor tensor;
    tensor.bytes = 1;
    if (whole >= 0) tensor.part_of = PartOf{static_cast<TensorId>(whole), 0};
    graph.tensors.push_back(tensor);
  }
  return graph;
}

std::vector<int> order(const std::vector<int>& wholes) {
  const auto ids = wholes_first(forest(wholes));
  return {ids.begin(), ids.end()};
}

}  // namespace

TEST_CASE("wholes come before their parts whatever the order of the file", "[parts]") {
  REQUIRE(order({2, 0, -1, -1}) == std::vector{2, 3, 0, 1});
}

TEST_CASE("tensors on a circle of parts, and their parts, are left out", "[parts]") {
  REQUIRE(order({1, 0, -1, 1}) == std::vector{2});
  REQUIRE(order({0}).empty());
}

TEST_CASE("a part of a part begins where both say", "[parts]") {
  Graph graph = forest({-1, 0, 1});
  graph.tensors[1].part_of->offset_bytes = 16;
  graph.tensors[2].part_of->offset_bytes = 4;
  CHECK(place_in_root(graph, TensorId{2}) == PartOf{TensorId{0}, 20});
  CHECK(place_in_root(graph, TensorId{0}) == PartOf{TensorId{0}, 0});
}
