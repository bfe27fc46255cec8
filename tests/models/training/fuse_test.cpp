#include "models/training/fuse.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <stdexcept>

#include "files/input_error.hpp"
#include "models/layers/network_json.hpp"
#include "models/training/lower_network.hpp"

using namespace stint;

namespace {

using Names = std::vector<std::string>;

// A convolution whose ReLU goes on as given; two filters, images of 8 x 8.
Network network_of(const std::string& convolution, const std::string& rest,
                   const std::string& last) {
  return parse_network(R"({"format": "stint-model", "version": 1, "name": "small",
      "inputs": [{"name": "image", "shape": ["batch", 1, 8, 8]},
                 {"name": "label", "shape": ["batch"], "type": "int32"}],
      "layers": [{"name": "conv", "op": "conv2d", "inputs": ["image"], )" +
                           convolution + R"(, "kernel": [3, 3]}, )" + rest +
                           R"(, {"name": "flat", "op": "flatten", "inputs": [")" + last + R"("]},
                 {"name": "fc", "op": "linear", "inputs": ["flat"], "features": 10}],
      "loss": {"op": "cross_entropy", "inputs": ["fc", "label"]},
      "optimizer": {"op": "sgd", "learning_rate": 0.1}})",
                       "test");
}
const std::string relu = R"({"name": "relu", "op": "relu", "inputs": ["conv"]})";
const std::string pool =
    R"(, {"name": "pool", "op": "max_pool2d", "inputs": ["relu"], "kernel": [2, 2], "stride": [2, 2]})";

Names task_names(const Graph& graph) {
  Names names;
  for (const Task& task : graph.tasks) names.push_back(task.name);
  return names;
}

const Task& task_of(const Graph& graph, const std::string& name) {
  for (const Task& task : graph.tasks) {
    if (task.name == name) return task;
  }
  throw std::logic_error("no task " + name);
}

Names names_of(const Graph& graph, const std::vector<TensorId>& list) {
  Names names;
  for (const TensorId id : list) names.push_back(graph.tensors[id].name);
  return names;
}

bool fuses(const Network& network) { return can_fuse(network, ImageLayout::nhwc); }

}  // namespace

TEST_CASE("a small convolution, its ReLU and its maxima become one task each way", "[fuse]") {
  const Network network = network_of(R"("filters": 2)", relu + pool, "pool");
  REQUIRE(fuses(network));
  const Graph graph = lower_network(network, {.batch = 2, .fuse = true});
  CHECK(task_names(graph) == Names{"conv+relu+pool.forward", "fc.forward", "loss.forward",
                                   "loss.backward", "fc.backward_weights", "fc.backward_data",
                                   "fc.weight.update", "fc.bias.update", "conv+relu+pool.backward",
                                   "conv.weight.update", "conv.bias.update"});
  const Task& forward = task_of(graph, "conv+relu+pool.forward");
  CHECK(names_of(graph, forward.reads) == Names{"image", "conv.weight", "conv.bias"});
  CHECK(names_of(graph, forward.optional) == Names{"pool.indices"});
  const Task& backward = task_of(graph, "conv+relu+pool.backward");
  CHECK(names_of(graph, backward.writes) == Names{"conv.weight.grad", "conv.bias.grad"});
}

TEST_CASE("what is fused has the flops of its layers and moves fewer bytes", "[fuse]") {
  const Network network = network_of(R"("filters": 2)", relu + pool, "pool");
  const auto sum = [&](bool fused, auto field) {
    double total = 0;
    for (const Task& task : lower_network(network, {.batch = 4, .fuse = fused}).tasks)
      total += task.*field;
    return total;
  };
  CHECK(sum(true, &Task::flops) == sum(false, &Task::flops));
  CHECK(sum(true, &Task::bytes_moved) < sum(false, &Task::bytes_moved));
}

TEST_CASE("a convolution inside a network gives its input's gradient in the same task", "[fuse]") {
  const std::string second =
      R"(, {"name": "conv2", "op": "conv2d", "inputs": ["pool"], "filters": 3, "kernel": [2, 2]},
           {"name": "relu2", "op": "relu", "inputs": ["conv2"]})";
  const Graph graph = lower_network(network_of(R"("filters": 2)", relu + pool + second, "relu2"),
                                    {.batch = 2, .fuse = true});
  const Task& backward = task_of(graph, "conv2+relu2.backward");
  CHECK(names_of(graph, backward.reads).back() == "conv2.weight");
  CHECK(names_of(graph, backward.writes) ==
        Names{"conv2.weight.grad", "conv2.bias.grad", "pool.grad"});
}

TEST_CASE("layers whose results are wanted elsewhere stay as they are", "[fuse]") {
  const std::string sum = R"(, {"name": "sum", "op": "add", "inputs": ["relu", "conv"]})";
  CHECK_FALSE(fuses(network_of(R"("filters": 2)", relu + sum, "sum")));
}

TEST_CASE("only a plain ReLU is fused", "[fuse]") {
  const std::string leaky = R"({"name": "relu", "op": "relu", "inputs": ["conv"], "slope": 0.1})";
  CHECK(fuses(network_of(R"("filters": 2)", relu, "relu")));
  CHECK_FALSE(fuses(network_of(R"("filters": 2)", leaky, "relu")));
}

TEST_CASE("a larger convolution takes its ReLU and maxima forward, and backward they are a task",
          "[fuse]") {
  // More than one pixel is reordered for the layer behind.
  using Case = std::pair<std::string, std::string>;
  const auto [filters, gradient] = GENERATE(Case{R"("filters": 64)", "pool.grad"},
                                            Case{R"("filters": 2, "stride": [2, 2])", "flat.grad"});
  const Graph graph =
      lower_network(network_of(filters, relu + pool, "pool"), {.batch = 2, .fuse = true});
  const Task& forward = task_of(graph, "conv+relu+pool.forward");
  CHECK(forward.op == "conv2d_then_relu_pool.forward");
  CHECK(names_of(graph, forward.writes) == Names{"pool", "pool.indices"});
  const Task& backward = task_of(graph, "relu+pool.backward");
  CHECK(names_of(graph, backward.reads) == Names{"pool", "pool.indices", gradient});
  CHECK(names_of(graph, backward.writes) == Names{"conv.grad"});
  CHECK(std::ranges::none_of(graph.tensors, [](const Tensor& t) { return t.name == "relu"; }));
}

namespace {

const std::string norm = R"({"name": "norm", "op": "batch_norm", "inputs": ["conv"]})";
const std::string after_norm = R"(, {"name": "relu", "op": "relu", "inputs": ["norm"]})";

}  // namespace

TEST_CASE("a batch norm takes its ReLU both ways, and nothing is kept for the ReLU", "[fuse]") {
  const Graph graph = lower_network(network_of(R"("filters": 64)", norm + after_norm, "relu"),
                                    {.batch = 2, .fuse = true});
  CHECK(names_of(graph, task_of(graph, "norm+relu.forward").reads) ==
        Names{"norm.statistics", "norm.weight", "norm.bias", "conv"});
  CHECK(names_of(graph, task_of(graph, "norm+relu.backward_weights").reads) ==
        Names{"conv", "norm.statistics", "norm.weight", "norm.bias", "relu.grad"});
  const Task& data = task_of(graph, "norm+relu.backward_data");
  CHECK(names_of(graph, data.reads) == Names{"conv", "norm.statistics", "norm.weight", "norm.bias",
                                             "norm.weight.grad", "norm.bias.grad", "relu.grad"});
  CHECK(data.may_overwrite.size() == 1);
  const Names names = task_names(graph);
  CHECK(std::ranges::none_of(names, [](const auto& name) { return name == "relu.backward"; }));
}

TEST_CASE("a residual is added on the way from a batch norm to its ReLU", "[fuse]") {
  const std::string sum = R"(, {"name": "sum", "op": "add", "inputs": ["conv", "norm"]},
                               {"name": "relu", "op": "relu", "inputs": ["sum"]})";
  const Graph graph =
      lower_network(network_of(R"("filters": 64)", norm + sum, "relu"), {.batch = 2, .fuse = true});
  const Task& forward = task_of(graph, "norm+sum+relu.forward");
  CHECK(names_of(graph, forward.writes) == Names{"relu"});
  CHECK(task_names(graph)[1] == "norm.statistics");
  CHECK(task_of(graph, "relu.backward").op == "relu.backward");
}

TEST_CASE("what is wanted between a norm and its ReLU is not fused", "[fuse]") {
  const std::string both = after_norm + R"(, {"name": "tanh", "op": "tanh", "inputs": ["norm"]},
                               {"name": "sum", "op": "add", "inputs": ["relu", "tanh"]})";
  CHECK_FALSE(fuses(network_of(R"("filters": 64)", norm + both, "sum")));
}

TEST_CASE("a pool of other windows stays a task of its own", "[fuse]") {
  const std::string wider =
      R"(, {"name": "pool", "op": "max_pool2d", "inputs": ["relu"], "kernel": [3, 3], "stride": [2, 2]})";
  const Graph graph = lower_network(network_of(R"("filters": 2)", relu + wider, "pool"),
                                    {.batch = 2, .fuse = true});
  const Names names = task_names(graph);
  CHECK(std::ranges::find(names, "conv+relu.forward") != names.end());
  CHECK(std::ranges::find(names, "pool.forward") != names.end());
}

TEST_CASE("a graph of tasks has nothing to fuse", "[fuse]") {
  Graph graph{.name = "one"};
  graph.tasks.push_back({.name = "a"});
  CHECK_THROWS_WITH(lower(graph, {.fuse = true}), Catch::Contains("/lowering/fuse"));
}

namespace {

// A linear layer of as many features as it reads, and what follows it; the ends of `rest` are last.
Network linear_network(const std::string& rest, const std::string& last) {
  return parse_network(R"({"format": "stint-model", "version": 1, "name": "rows",
      "inputs": [{"name": "x", "shape": ["batch", 8]}, {"name": "y", "shape": ["batch", 8]}],
      "layers": [{"name": "in", "op": "linear", "inputs": ["x"], "features": 8},
                 {"name": "fc", "op": "linear", "inputs": ["in"], "features": 8}, )" +
                           rest + R"(],
      "loss": {"op": "mse", "inputs": [")" +
                           last + R"(", "y"]},
      "optimizer": {"op": "sgd", "learning_rate": 0.1}})",
                       "test");
}

Graph with_post_ops(const Network& network, const Names& post_ops = all_post_ops()) {
  return lower_network(network, {.batch = 2, .fuse = true, .post_ops = post_ops});
}

const std::string gelu = R"({"name": "gelu", "op": "gelu", "inputs": ["fc"]})";
const std::string residual = R"({"name": "sum", "op": "add", "inputs": ["in", "fc"]})";

}  // namespace

TEST_CASE("a sum with a residual is computed with the product before it", "[fuse]") {
  const Graph graph = with_post_ops(linear_network(residual, "sum"));
  const Task& both = task_of(graph, "fc+sum.forward");
  CHECK(both.op == "linear_then_add.forward");
  CHECK(names_of(graph, both.reads) == Names{"in", "fc.weight", "fc.bias"});
  CHECK(names_of(graph, both.writes) == Names{"sum"});
  CHECK(both.may_overwrite.empty());
  CHECK(std::ranges::none_of(graph.tensors, [](const Tensor& t) { return t.name == "fc"; }));
}

TEST_CASE("a product with its GELU writes what backward reads beside the result", "[fuse]") {
  const Graph graph = with_post_ops(linear_network(gelu, "gelu"));
  const Task& both = task_of(graph, "fc+gelu.forward");
  CHECK(both.op == "linear_then_gelu.forward");
  CHECK(names_of(graph, both.writes) == Names{"gelu", "fc"});
  CHECK(names_of(graph, task_of(graph, "gelu.backward").reads).front() == "fc");
}

TEST_CASE("only post-ops that are asked for are computed with their product", "[fuse]") {
  const Network network = linear_network(gelu, "gelu");
  const Graph apart = with_post_ops(network, {"add", "tanh"});
  CHECK(apart == lower_network(network, {.batch = 2}));
  CHECK(post_ops_of(network, ImageLayout::nhwc) == Names{"gelu"});
  CHECK(post_ops_of(linear_network(residual, "sum"), ImageLayout::nhwc) == Names{"add"});
  CHECK(post_ops_of(network_of(R"("filters": 64)", relu, "relu"), ImageLayout::nhwc).empty());
}

TEST_CASE("what else reads a product's result keeps post-ops apart", "[fuse]") {
  const std::string twice = R"(, {"name": "sum", "op": "add", "inputs": ["gelu", "fc"]})";
  CHECK_FALSE(fuses(linear_network(gelu + twice, "sum")));
  const std::string doubled = R"({"name": "sum", "op": "add", "inputs": ["fc", "fc"]})";
  CHECK_FALSE(fuses(linear_network(doubled, "sum")));
}

TEST_CASE("of two products that are added the later one takes the sum", "[fuse]") {
  const std::string other = R"({"name": "other", "op": "linear", "inputs": ["x"], "features": 8})";
  const std::string sum = R"(, {"name": "sum", "op": "add", "inputs": ["fc", "other"]})";
  const Graph graph = with_post_ops(linear_network(other + sum, "sum"));
  CHECK(names_of(graph, task_of(graph, "other+sum.forward").reads) ==
        Names{"x", "other.weight", "other.bias", "fc"});
  CHECK_NOTHROW(task_of(graph, "fc.forward"));
}

TEST_CASE("faults of post-ops are told", "[fuse]") {
  const Network network = linear_network(gelu, "gelu");
  const auto fault = [&](Lowering lowering) -> std::string {
    try {
      lower_network(network, lowering);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(fault({.fuse = true, .post_ops = {"relu"}}) ==
        "/lowering/post_ops/0: \"relu\"; expected one of add, affine, gelu, sigmoid, tanh");
  CHECK(fault({.fuse = true, .post_ops = {"gelu", "add"}}) ==
        "/lowering/post_ops/1: \"add\" after \"gelu\"; expected each once, ascending");
  CHECK(fault({.post_ops = {"gelu"}}) ==
        "/lowering/post_ops/0: without fuse; expected fuse too, or none");
}
