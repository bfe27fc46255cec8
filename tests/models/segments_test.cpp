#include "models/segments.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "tests/support/random_graph.hpp"

using namespace stint;

namespace {

struct Piece {
  std::int64_t bytes = 0;
  int whole = -1;
  std::int64_t offset = 0;
};

Graph graph_of(const std::vector<Piece>& pieces) {
  Graph graph;
  for (const Piece& piece : pieces) {
    Tensor tensor;
    tensor.bytes = piece.bytes;
    if (piece.whole >= 0) tensor.part_of = PartOf{static_cast<TensorId>(piece.whole), piece.offset};
    graph.tensors.push_back(tensor);
  }
  return graph;
}

// The bytes a tensor covers, as (root, byte), by walking its chain of wholes.
std::set<std::pair<int, std::int64_t>> bytes_of(const Graph& graph, int id) {
  std::int64_t offset = 0;
  const std::int64_t bytes = graph.tensors[id].bytes;
  for (; bytes > 0 && graph.tensors[id].part_of; id = graph.tensors[id].part_of->tensor) {
    offset += graph.tensors[id].part_of->offset_bytes;
  }
  std::set<std::pair<int, std::int64_t>> all;
  for (std::int64_t byte = 0; byte < bytes; ++byte) all.emplace(id, offset + byte);
  return all;
}

bool overlap(SegmentRange a, SegmentRange b) { return a.begin < b.end && b.begin < a.end; }

}  // namespace

TEST_CASE("a tensor without parts is one segment, even if it has no bytes", "[segments]") {
  const Segments all = segments(graph_of({{8}, {0}}));
  REQUIRE(all.count() == 2);
  REQUIRE(all.of_tensor == std::vector<SegmentRange>{{0, 1}, {1, 2}});
  REQUIRE(all.begin_bytes == std::vector<std::int64_t>{0, 0});
  REQUIRE(all.end_bytes == std::vector<std::int64_t>{8, 0});
}

TEST_CASE("a whole is cut where its parts begin and end", "[segments]") {
  // 10 bytes; parts [0, 4) and [4, 10); a view [2, 6) across both; [3, 4) inside the first part.
  const Segments all = segments(graph_of({{10}, {4, 0, 0}, {6, 0, 4}, {4, 0, 2}, {1, 1, 3}}));
  REQUIRE(all.begin_bytes == std::vector<std::int64_t>{0, 2, 3, 4, 6});
  REQUIRE(all.end_bytes == std::vector<std::int64_t>{2, 3, 4, 6, 10});
  REQUIRE(all.of_tensor == std::vector<SegmentRange>{{0, 5}, {0, 3}, {3, 5}, {1, 4}, {2, 3}});
  REQUIRE(all.root == std::vector<TensorId>(5, TensorId{0}));
  REQUIRE(all.root_offset == std::vector<std::int64_t>{0, 0, 4, 2, 3});
}

TEST_CASE("a part of no bytes is a root of its own", "[segments]") {
  const Segments all = segments(graph_of({{8}, {0, 0, 4}}));
  REQUIRE(all.root == std::vector<TensorId>{TensorId{0}, TensorId{1}});
  REQUIRE(all.of_tensor == std::vector<SegmentRange>{{0, 1}, {1, 2}});
}

TEST_CASE("parts may stand before their wholes", "[segments]") {
  const Segments all = segments(graph_of({{2, 1, 1}, {4, 2, 2}, {8}}));
  REQUIRE(all.root_offset == std::vector<std::int64_t>{3, 2, 0});
  REQUIRE(all.of_tensor[0].size() == 1);
  REQUIRE(all.of_tensor[2].size() == 5);
}

TEST_CASE("two tensors of a random graph share a segment if and only if they share a byte",
          "[segments]") {
  const std::uint64_t seed = GENERATE(range(0, 60));
  const Graph graph = random_graph(seed);
  const Segments all = segments(graph);
  const int count = static_cast<int>(graph.tensors.size());
  for (int a = 0; a < count; ++a) {
    const auto bytes = bytes_of(graph, a);
    for (int b = 0; b < a; ++b) {
      const auto others = bytes_of(graph, b);
      const bool share = std::any_of(bytes.begin(), bytes.end(),
                                     [&](const auto& byte) { return others.count(byte) > 0; });
      CAPTURE(seed, a, b);
      REQUIRE(overlap(all.of_tensor[a], all.of_tensor[b]) == share);
    }
  }
}

TEST_CASE("the segments of a random tensor tile it", "[segments]") {
  const std::uint64_t seed = GENERATE(range(0, 60));
  const Graph graph = random_graph(seed);
  const Segments all = segments(graph);
  for (std::size_t id = 0; id < graph.tensors.size(); ++id) {
    CAPTURE(seed, id);
    std::int64_t byte = all.root_offset[id];
    REQUIRE(all.of_tensor[id].size() >= 1);
    for (int segment = all.of_tensor[id].begin; segment < all.of_tensor[id].end; ++segment) {
      REQUIRE(all.begin_bytes[segment] == byte);
      byte = all.end_bytes[segment];
    }
    REQUIRE(byte == all.root_offset[id] + graph.tensors[id].bytes);
  }
}
