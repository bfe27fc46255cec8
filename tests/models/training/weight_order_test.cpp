// Orders of weights: what their text means, and what a network becomes when kernels want them.
#include "models/training/weight_order.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "files/input_error.hpp"
#include "models/graph.hpp"
#include "models/training/lower_network.hpp"

using namespace stint;
using Catch::Contains;

namespace {

// One convolution of 4 channels by 8 filters, and a linear layer.
const std::string network_text = R"({
  "format": "stint-model", "version": 1, "name": "small",
  "inputs": [{"name": "image", "shape": ["batch", 4, 6, 6]}, {"name": "label", "shape": ["batch"], "type": "int32"}],
  "layers": [{"name": "first", "op": "conv2d", "inputs": ["image"], "filters": 4, "kernel": [1, 1]},
             {"name": "conv", "op": "conv2d", "inputs": ["first"], "filters": 8, "kernel": [3, 3], "padding": [1, 1]},
             {"name": "flat", "op": "flatten", "inputs": ["conv"]},
             {"name": "fc", "op": "linear", "inputs": ["flat"], "features": 10}],
  "loss": {"op": "cross_entropy", "inputs": ["fc", "label"]},
  "optimizer": {"op": "sgd", "learning_rate": 0.1, "momentum": 0.9}})";

const std::string by_filters = "8x4x3x3 Acdb16a";
const std::string by_channels = "8x4x3x3 Bcda16b";

Graph lowered(const std::vector<PinnedKernel>& kernels, std::int64_t microbatches = 1) {
  const Graph graph =
      lower_network(parse_network(network_text, "test"),
                    {.batch = 2 * microbatches, .microbatches = microbatches, .kernels = kernels});
  check(graph);
  return graph;
}

const Task& task(const Graph& graph, const std::string& name) {
  for (const Task& candidate : graph.tasks) {
    if (candidate.name == name) return candidate;
  }
  FAIL("no task " + name);
  throw;
}

std::int64_t bytes(const Graph& graph, const std::string& name) {
  return graph.tensors[tensors_by_name(graph).at(name)].bytes;
}

std::vector<std::string> names(const Graph& graph, const std::vector<TensorId>& tensors) {
  std::vector<std::string> list;
  for (const TensorId tensor : tensors) list.push_back(graph.tensors[tensor].name);
  return list;
}

// The kernels of the second convolution, wanting these orders.
std::vector<PinnedKernel> pinned(const std::string& forward, const std::string& data,
                                 const std::string& weights) {
  const Graph plain = lowered({});
  const auto pin = [&](const char* what, const std::string& order) {
    const Task& it = task(plain, std::string("conv.") + what);
    return PinnedKernel{"cpu", it.op, it.shape, "some", order, 640};
  };
  return {pin("backward_data", data), pin("backward_weights", weights), pin("forward", forward)};
}

int reorders(const Graph& graph) {
  int count = 0;
  for (const Task& it : graph.tasks) count += it.op == "reorder_weight" ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("an order says where every element is stored", "[weight_order]") {
  const auto order = parse_weight_order("3x2 Ab2a").value();
  CHECK(listed_elements(order) == 6);
  CHECK(stored_elements(order) == 8);
  // Rows in pairs; within a pair, column by column.
  CHECK(stored_positions(order) == std::vector<std::int64_t>{0, 2, 1, 3, 4, 6});
  const auto twice = parse_weight_order("8x2 Ab4a2b2a");
  CHECK_FALSE(twice.has_value());  // b has blocks, so its letter must say so
  const auto nested = parse_weight_order("8x2 AB2a2b2a").value();
  const auto positions = stored_positions(nested);
  CHECK(std::set(positions.begin(), positions.end()).size() == 16);
  CHECK(positions[2 * 1] == 1);      // the second row is next within the innermost block
  CHECK(positions[2 * 2] == 4);      // the third begins the other half of its block
  CHECK(positions[2 * 4 + 0] == 8);  // the fifth begins another block
}

TEST_CASE("texts that are no orders are none", "[weight_order]") {
  for (const char* text : {"",
                           " ",
                           "3x2",
                           "3x2 ",
                           "3x2 aa",
                           "3x2 a",
                           "3x2 abc",
                           "3x2 Ab",
                           "3x2 ab2a",
                           "3x2 Ab2",
                           "x ab",
                           "3x2 Ab0a",
                           "3x2 Ab-2a",
                           "0x2 ab",
                           "3x2 A",
                           "9999999999999999999x2 ab",
                           "1099511627776x1099511627776 ab",
                           "3x2 Ab2c",
                           "3x2 ab 2a",
                           "3x2 Ab99999a",
                           "3x2 {b",
                           "1x1x1x1x1x1x1x1 abcdefgh"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_weight_order(text).has_value());
  }
}

TEST_CASE("state is kept as most kernels want it, and the others get reordered copies",
          "[weight_order]") {
  const Graph graph = lowered(pinned(by_filters, by_channels, by_filters));
  CHECK(reorders(graph) == 1);
  CHECK(bytes(graph, "conv.weight") == 16 * 4 * 9 * 4);
  CHECK(bytes(graph, "conv.weight.momentum") == 16 * 4 * 9 * 4);
  CHECK(bytes(graph, "conv.weight:Bcda16b") == 8 * 16 * 9 * 4);
  CHECK(names(graph, task(graph, "conv.forward").reads)[1] == "conv.weight");
  CHECK(names(graph, task(graph, "conv.backward_data").reads)[0] == "conv.weight:Bcda16b");
  CHECK(task(graph, "conv.forward").workspace_bytes == 640);
  const Graph other = lowered(pinned(by_filters, by_channels, by_channels));
  CHECK(reorders(other) == 1);
  CHECK(bytes(other, "conv.weight") == 8 * 16 * 9 * 4);
  CHECK(names(other, task(other, "conv.forward").reads)[1] == "conv.weight:Acdb16a");
}

TEST_CASE("a gradient in another order is reordered before its update", "[weight_order]") {
  const Graph graph = lowered(pinned(by_filters, by_filters, by_channels));
  CHECK(reorders(graph) == 1);
  const Task& of_weights = task(graph, "conv.backward_weights");
  const std::string gradient = names(graph, task(graph, "conv.weight.update").reads)[0];
  CHECK(names(graph, of_weights.writes)[0] == gradient + ":Bcda16b");
  CHECK(bytes(graph, gradient) == bytes(graph, "conv.weight"));
  const Graph in_two = lowered(pinned(by_filters, by_filters, by_channels), 1);
  CHECK(in_two == graph);
}

TEST_CASE("kernels that want weights as listed leave the graph as it is", "[weight_order]") {
  const Graph plain = lowered({});
  Graph graph = lowered(pinned("", "", ""));
  CHECK(reorders(graph) == 0);
  for (std::size_t t = 0; t < graph.tasks.size(); ++t)
    graph.tasks[t].workspace_bytes = plain.tasks[t].workspace_bytes;
  CHECK(graph == plain);
}

TEST_CASE("pinned kernels that make no sense are refused", "[weight_order]") {
  auto wrong_order = pinned("8x4x3x3 Abcd", "", "");
  CHECK_THROWS_WITH(lowered(wrong_order), Contains("/lowering/kernels/2/weight_order"));
  CHECK_THROWS_WITH(lowered(pinned("8x4x3x2 Acdb16a", "", "")), Contains("192 elements"));
  auto unsorted = pinned("", "", "");
  std::swap(unsorted[0], unsorted[1]);
  CHECK_THROWS_WITH(lowered(unsorted), Contains("/lowering/kernels/1"));
  auto negative = pinned("", "", "");
  negative[0].workspace_bytes = -1;
  CHECK_THROWS_WITH(lowered(negative), Contains("workspace_bytes"));
  CHECK_THROWS_AS(lower(Model(Graph{}), {.kernels = negative}), InputError);
}
