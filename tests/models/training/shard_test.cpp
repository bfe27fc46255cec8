#include "models/training/shard.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <stdexcept>

#include "files/input_error.hpp"
#include "models/check_graph.hpp"
#include "models/training/lower_network.hpp"

using namespace stint;

namespace {

using Names = std::vector<std::string>;

Network network_of(const std::string& layers, const std::string& last = "fc2") {
  return parse_network(R"({"format": "stint-model", "version": 1, "name": "small",
      "inputs": [{"name": "x", "shape": ["batch", 6]},
                 {"name": "label", "shape": ["batch"], "type": "int32"}],
      "layers": [)" + layers +
                           R"(],
      "loss": {"op": "cross_entropy", "inputs": [")" +
                           last + R"(", "label"]},
      "optimizer": {"op": "sgd", "learning_rate": 0.1, "momentum": 0.9}})",
                       "test");
}
const std::string fc0 = R"({"name": "fc0", "op": "linear", "inputs": ["x"], "features": 12}, )";
const std::string pair =
    R"({"name": "fc1", "op": "linear", "inputs": ["fc0"], "features": 8},
       {"name": "relu", "op": "relu", "inputs": ["fc1"]},
       {"name": "fc2", "op": "linear", "inputs": ["relu"], "features": 4})";

Names task_names(const Graph& graph, const std::string& with = "") {
  Names names;
  for (const Task& task : graph.tasks) {
    if (task.name.find(with) != std::string::npos) names.push_back(task.name);
  }
  return names;
}

const Task& task_of(const Graph& graph, const std::string& name) {
  const auto found = std::ranges::find(graph.tasks, name, &Task::name);
  if (found == graph.tasks.end()) throw std::logic_error("no task " + name);
  return *found;
}

Names names_of(const Graph& graph, const std::vector<TensorId>& list) {
  Names names;
  for (const TensorId id : list) names.push_back(graph.tensors[id].name);
  return names;
}

const Tensor& tensor_of(const Graph& graph, const std::string& name) {
  const auto found = std::ranges::find(graph.tensors, name, &Tensor::name);
  if (found == graph.tensors.end()) throw std::logic_error("no tensor " + name);
  return *found;
}

Graph sharded(const Network& network, const std::vector<Shard>& shards) {
  Graph graph = lower_network(network, {.batch = 2, .shards = shards});
  CHECK_NOTHROW(check(graph));
  return graph;
}

}  // namespace

TEST_CASE("columns then rows meet only in the sum at the end, and in that of the input's gradient",
          "[shard]") {
  const Graph graph =
      sharded(network_of(fc0 + pair), {{"fc1", ShardBy::columns, 2}, {"fc2", ShardBy::rows, 2}});
  CHECK(task_names(graph, "forward") ==
        Names{"fc0.forward", "fc1[columns 0:4].forward", "fc1[columns 4:8].forward",
              "relu[0:4].forward", "relu[4:8].forward", "fc2[rows 0:4].forward",
              "fc2[rows 4:8].forward", "fc2.forward", "loss.forward"});
  const Task& sum = task_of(graph, "fc2.forward");
  CHECK(sum.op == "add.forward");
  CHECK(task_names(graph, ".sum") == Names{"fc0[shards 0:2 of 2].grad.sum"});
  CHECK(names_of(graph, task_of(graph, "fc2[rows 0:4].forward").reads) ==
        Names{"relu[0:4]", "fc2[rows 0:4].weight", "fc2.bias"});
  CHECK(names_of(graph, task_of(graph, "fc2[rows 4:8].forward").reads) ==
        Names{"relu[4:8]", "fc2[rows 4:8].weight"});
}

TEST_CASE("the state of shards is that of the layer, in parts", "[shard]") {
  const Graph graph =
      sharded(network_of(fc0 + pair), {{"fc1", ShardBy::columns, 2}, {"fc2", ShardBy::rows, 2}});
  const auto part = [&](const std::string& name) {
    const Tensor& tensor = tensor_of(graph, name);
    REQUIRE(tensor.part_of);
    return std::tuple(graph.tensors[tensor.part_of->tensor].name, tensor.part_of->offset_bytes,
                      tensor.bytes);
  };
  CHECK(part("fc1[columns 4:8].weight") == std::tuple("fc1.weight", 4 * 12 * 4, 4 * 12 * 4));
  CHECK(part("fc1[columns 4:8].weight.momentum") ==
        std::tuple("fc1.weight.momentum", 4 * 12 * 4, 4 * 12 * 4));
  CHECK(part("fc1[columns 4:8].bias") == std::tuple("fc1.bias", 16, 16));
  CHECK(part("fc2[rows 4:8].weight") == std::tuple("fc2.weight", 4 * 4 * 4, 4 * 4 * 4));
  CHECK(tensor_of(graph, "fc2.bias").part_of == std::nullopt);
  const LoweredNetwork lowered = lower_with_kernels(
      network_of(fc0 + pair),
      {.batch = 2, .shards = {{"fc1", ShardBy::columns, 2}, {"fc2", ShardBy::rows, 2}}});
  CHECK(lowered.orders == std::map<std::string, std::string>{{"fc2.weight", "4x8 Ba4b"},
                                                             {"fc2.weight.momentum", "4x8 Ba4b"}});
  const LoweredNetwork whole = lower_with_kernels(network_of(fc0 + pair), {.batch = 2});
  REQUIRE(lowered.parameters.size() == whole.parameters.size());
  for (std::size_t i = 0; i < whole.parameters.size(); ++i)
    CHECK(lowered.parameters[i].name == whole.parameters[i].name);
}

TEST_CASE("what is not made in shards is taken apart, what is wanted whole put together",
          "[shard]") {
  const Graph columns = sharded(network_of(fc0 + pair), {{"fc1", ShardBy::columns, 2}});
  CHECK(task_names(columns, "whole") == Names{"relu.whole.forward", "relu.whole.backward"});
  const Graph rows = sharded(network_of(fc0 + pair), {{"fc2", ShardBy::rows, 4}});
  CHECK(task_names(rows, "relu.shards") == Names{"relu.shards.forward", "relu.shards.backward"});
  const Graph other =
      sharded(network_of(fc0 + pair), {{"fc1", ShardBy::columns, 4}, {"fc2", ShardBy::rows, 2}});
  CHECK(task_names(other, "relu.").size() == 4);
  // Of one sample, columns lie side by side.
  const Graph one =
      lower_network(network_of(fc0 + pair), {.batch = 1, .shards = {{"fc1", ShardBy::columns, 2}}});
  CHECK(task_names(one, "whole").empty());
}

TEST_CASE("sums over shards follow the fixed tree, forward and backward", "[shard]") {
  const Graph graph = sharded(
      network_of(fc0 + pair),
      {{"fc0", ShardBy::rows, 3}, {"fc1", ShardBy::columns, 5}, {"fc2", ShardBy::columns, 1}});
  CHECK(names_of(graph, task_of(graph, "fc0[rows 0:4].sum.forward").reads) ==
        Names{"fc0[rows 0:2]", "fc0[rows 2:4]"});
  CHECK(names_of(graph, task_of(graph, "fc0.forward").reads) ==
        Names{"fc0[rows 0:4].sum", "fc0[rows 4:6]"});
  Names sums = task_names(graph, ".grad.sum");
  std::ranges::sort(sums);
  CHECK(sums == Names{"fc0[shards 0:2 of 5].grad.sum", "fc0[shards 0:4 of 5].grad.sum",
                      "fc0[shards 0:5 of 5].grad.sum", "fc0[shards 2:4 of 5].grad.sum"});
}

TEST_CASE("queries, keys and values go to the shard of their heads", "[shard]") {
  const Network network = parse_network(R"({"format": "stint-model", "version": 1, "name": "heads",
      "inputs": [{"name": "x", "shape": ["batch", 3, 8]}, {"name": "y", "shape": ["batch", 3, 8]}],
      "layers": [{"name": "norm", "op": "layer_norm", "inputs": ["x"]},
        {"name": "qkv", "op": "linear", "inputs": ["norm"], "features": 24},
        {"name": "parts", "op": "split", "inputs": ["qkv"], "outputs": ["q", "k", "v"],
         "sizes": [8, 8, 8], "axis": 2},
        {"name": "attention", "op": "attention", "inputs": ["q", "k", "v"], "heads": 4},
        {"name": "merge", "op": "linear", "inputs": ["attention"], "features": 8}],
      "loss": {"op": "mse", "inputs": ["merge", "y"]}, "optimizer": {"op": "sgd"}})",
                                        "test");
  const Graph graph = sharded(network, {{"qkv", ShardBy::columns, 2},
                                        {"attention", ShardBy::heads, 2},
                                        {"merge", ShardBy::rows, 2}});
  CHECK(names_of(graph, task_of(graph, "attention[heads 2:4].forward").reads) ==
        Names{"qkv[columns 4:8]", "qkv[columns 12:16]", "qkv[columns 20:24]"});
  CHECK(task_names(graph, "parts").empty());
  CHECK(task_names(graph, "whole").empty());
  // Within a shard first, so that one gradient leaves it.
  CHECK(task_of(graph, "norm[shards 0:2 of 2].grad.sum").reads.size() == 2);
  CHECK(names_of(graph, task_of(graph, "norm[shards 0:2 of 2].grad.sum").reads) ==
        Names{"norm[shards 1:2 of 2].grad", "norm[shards 0:1 of 2].grad"});
  // Heads alone: nothing else is cut.
  const Graph heads = sharded(network, {{"attention", ShardBy::heads, 4}});
  CHECK(task_names(heads, "q.shards") == Names{"q.shards.forward", "q.shards.backward"});
  CHECK(task_names(heads, "attention.whole").size() == 2);
}

TEST_CASE("cuts and splits apply to shards", "[shard]") {
  const Lowering lowering{.batch = 4,
                          .leaves = 4,
                          .shards = {{"fc1", ShardBy::columns, 2}, {"fc2", ShardBy::rows, 2}},
                          .cuts = {{"fc1", 2}, {"fc2", 1}},
                          .splits = {{"fc1[columns 0:4].weight", 2}}};
  const Graph graph = lower_network(network_of(fc0 + pair), lowering);
  CHECK_NOTHROW(check(graph));
  CHECK(task_names(graph, "fc1[columns 4:8].forward") ==
        Names{"fc1[columns 4:8].forward[0:2]", "fc1[columns 4:8].forward[2:4]"});
  CHECK(task_names(graph, "fc2.forward").size() == 4);
  CHECK(task_names(graph, "fc1[columns 0:4].weight.update").size() == 2);
}

TEST_CASE("columns of a weight that others use whole are updated part by part, by all gradients",
          "[shard]") {
  const Network network = network_of(
      R"({"name": "a", "op": "linear", "inputs": ["x"], "features": 6},
         {"name": "b", "op": "linear", "inputs": ["a"], "features": 6, "weight_of": "a"},
         {"name": "c", "op": "linear", "inputs": ["b"], "features": 6, "weight_of": "a"})",
      "c");
  const Graph graph = sharded(network, {{"b", ShardBy::columns, 2}});
  CHECK(task_names(graph, "weight.update") ==
        Names{"b[columns 0:3].weight.update", "b[columns 3:6].weight.update"});
  CHECK(names_of(graph, task_of(graph, "b[columns 3:6].weight.grad.all.sum").reads) ==
        Names{"b[columns 3:6].weight.grad", "b[columns 3:6].weight.grad.others"});
  const Tensor& others = tensor_of(graph, "b[columns 3:6].weight.grad.others");
  CHECK(graph.tensors[others.part_of->tensor].name == "a.weight.grad");
  CHECK(others.part_of->offset_bytes == 3 * 6 * 4);
  const auto fault = [&](const std::vector<Shard>& shards) {
    lower_network(network, {.batch = 2, .shards = shards});
  };
  CHECK_THROWS_WITH(fault({{"a", ShardBy::columns, 2}}),
                    Catch::Contains("others share its weight"));
  CHECK_THROWS_WITH(fault({{"b", ShardBy::rows, 2}}), Catch::Contains("it shares its weight"));
  CHECK_THROWS_WITH(fault({{"b", ShardBy::columns, 2}, {"c", ShardBy::columns, 2}}),
                    Catch::Contains("in shards already"));
}

TEST_CASE("layers that cannot be cut so are refused", "[shard]") {
  const auto fault = [&](const std::vector<Shard>& shards) -> std::string {
    try {
      lower_network(network_of(fc0 + pair), {.batch = 2, .shards = shards}, 100);
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  };
  CHECK(fault({{"none", ShardBy::rows, 2}}) ==
        "/lowering/shards/0: no layer is named \"none\"; expected one");
  CHECK(fault({{"fc1", ShardBy::rows, 2}, {"fc1", ShardBy::columns, 2}}) ==
        "/lowering/shards/1: \"fc1\" is cut twice; expected once");
  CHECK(
      fault({{"fc1", ShardBy::rows, 5}}) ==
      "/lowering/shards/0: rows of \"fc1\": 5 shards of 12 inputs; expected a divisor below that");
  CHECK(fault({{"fc1", ShardBy::columns, 9}}) ==
        "/lowering/shards/0: columns of \"fc1\": 9 shards of 8 features; expected no more shards");
  CHECK(fault({{"fc1", ShardBy::heads, 2}}) ==
        "/lowering/shards/0: heads of \"fc1\": a linear layer has none; expected columns or rows");
  CHECK(fault({{"relu", ShardBy::channels, 2}}) ==
        "/lowering/shards/0: channels of \"relu\": it is a relu; expected columns or rows of a "
        "linear layer, channels of a conv2d, heads of an attention");
  CHECK(fault({{"fc1", ShardBy::columns, 0}}) ==
        "/lowering/shards/0: 0 shards; expected 1 to 4096");
  CHECK(fault({{"fc1", ShardBy::columns, 200}}) ==
        "/lowering/shards: more than 100 tasks; expected fewer shards");
}
