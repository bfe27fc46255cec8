#include "models/training/layer_pieces.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "files/input_error.hpp"
#include "models/training/lower_network.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

Network lenet5() { return read_network(bundled("models/lenet5.json")); }

std::string fault(const Lowering& lowering) {
  try {
    lower_network(lenet5(), lowering);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

std::string fault_of_pieces(const std::vector<std::int64_t>& pieces) {
  return fault({.batch = 8, .leaves = 8, .cuts = {{.layer = "conv1", .pieces = pieces}}});
}

std::set<std::string> names(const Graph& graph) {
  std::set<std::string> all;
  for (const Task& task : graph.tasks) all.insert(task.name);
  return all;
}

}  // namespace

TEST_CASE("pieces of different lengths are merged as the tree of leaves is", "[layer_pieces]") {
  const Lowering lowering{
      .batch = 6, .leaves = 6, .cuts = {{.layer = "conv1", .pieces = {2, 1, 1, 2}}}};
  const LayerPieces pieces = layer_pieces(lenet5(), lowering).at("conv1");
  CHECK(pieces.begin == std::vector<std::int64_t>{0, 2, 3, 4, 6});
  REQUIRE(pieces.merges.size() == 3);
  // Leaves 2 and 3, then 0 to 3, then all.
  CHECK((pieces.merges[0].left == 1 && pieces.merges[0].right == 2));
  CHECK((pieces.merges[1].left == 0 && pieces.merges[1].right == 4));
  CHECK((pieces.merges[2].left == 5 && pieces.merges[2].right == 3));
}

TEST_CASE("pieces that are no nodes of the tree of leaves are refused", "[layer_pieces]") {
  CHECK(fault_of_pieces({2, 2, 4}).empty());
  CHECK(fault_of_pieces({1, 2, 1, 4}) ==
        "/lowering/cuts/0/pieces/1: leaves 1 to 2; expected a node of the tree of leaves, 2^j from "
        "a multiple of 2^j on");
  CHECK(fault_of_pieces({3, 1, 4}).starts_with("/lowering/cuts/0/pieces/0: leaves 0 to 2"));
  CHECK(fault_of_pieces({4}) == "/lowering/cuts/0/pieces: 4 leaves together; expected 8");
  CHECK(fault_of_pieces({8, 1}) == "/lowering/cuts/0/pieces/1: 1 leaves; expected 1 to the 0 left");
}

TEST_CASE("a split parameter is summed and updated range by range", "[layer_pieces]") {
  const Lowering lowering{
      .batch = 2, .leaves = 2, .cuts = {{"fc3", 1}}, .splits = {{"fc3.weight", 2}}};
  const std::set<std::string> tasks = names(lower_network(lenet5(), lowering));
  CHECK(tasks.contains("fc3.weight.update[elements 0:432]"));
  CHECK(tasks.contains("fc3.weight.update[elements 432:840]"));
  CHECK_FALSE(tasks.contains("fc3.weight.update"));
  CHECK(tasks.contains("fc3.weight.grad[elements 432:840].sum"));
  CHECK(tasks.contains("fc3.bias.update"));
}

TEST_CASE("splits name trained parameters", "[layer_pieces]") {
  CHECK(fault({.splits = {{"conv1", 2}}}) ==
        "/lowering/splits/0: no trained parameter is named \"conv1\"; expected one");
  CHECK(fault({.splits = {{"fc3.weight", 0}}}) ==
        "/lowering/splits/0/ranges: 0; expected 1 to 1048576");
}

TEST_CASE("ranges are whole cache lines and leave nothing out", "[layer_pieces]") {
  CHECK(element_ranges(10, 4).size() == 1);
  const auto ranges = element_ranges(1000, 3);
  REQUIRE(ranges.size() == 3);
  CHECK(ranges[0].end == 336);
  CHECK(ranges[2].begin == 672);
  CHECK(ranges[2].end == 1000);
}
