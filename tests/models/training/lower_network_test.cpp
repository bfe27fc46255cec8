#include "models/training/lower_network.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "files/input_error.hpp"
#include "models/graph.hpp"
#include "models/training/workspace.hpp"
#include "tests/support/bundled_files.hpp"

using namespace stint;

namespace {

const std::string small_network = R"({
  "format": "stint-model", "version": 1, "name": "small",
  "inputs": [{"name": "image", "shape": ["batch", 4, 6, 6]}, {"name": "label", "shape": ["batch"], "type": "int32"}],
  "layers": [{"name": "conv", "op": "conv2d", "inputs": ["image"], "filters": 8, "kernel": [3, 3], "padding": [1, 1]},
             {"name": "norm", "op": "batch_norm", "inputs": ["conv"]},
             {"name": "relu", "op": "relu", "inputs": ["norm"]},
             {"name": "flat", "op": "flatten", "inputs": ["relu"]},
             {"name": "fc", "op": "linear", "inputs": ["flat"], "features": 10}],
  "loss": {"op": "cross_entropy", "inputs": ["fc", "label"]},
  "optimizer": {"op": "sgd", "learning_rate": 0.1}})";

const std::string branching_network = R"({
  "format": "stint-model", "version": 1, "name": "branching",
  "inputs": [{"name": "image", "shape": ["batch", 4, 6, 6]}, {"name": "label", "shape": ["batch"], "type": "int32"}],
  "layers": [{"name": "a", "op": "conv2d", "inputs": ["image"], "filters": 8, "kernel": [3, 3]},
             {"name": "b", "op": "conv2d", "inputs": ["image"], "filters": 4, "kernel": [3, 3]},
             {"name": "both", "op": "concat", "inputs": ["a", "b"]},
             {"name": "parts", "op": "split", "inputs": ["both"], "sizes": [6, 6]},
             {"name": "sum", "op": "add", "inputs": ["parts.0", "parts.1"]},
             {"name": "flat", "op": "flatten", "inputs": ["sum"]},
             {"name": "fc", "op": "linear", "inputs": ["flat"], "features": 10}],
  "loss": {"op": "cross_entropy", "inputs": ["fc", "label"]},
  "optimizer": {"op": "sgd"}})";

struct Lowered {
  Graph graph;
  std::map<std::string, TensorId> ids;

  explicit Lowered(const std::string& network, const Lowering& lowering)
      : graph(lower_network(parse_network(network, "test"), lowering)),
        ids(tensors_by_name(graph)) {
    check(graph);
  }
  const Tensor& tensor(const std::string& name) const { return graph.tensors[ids.at(name)]; }
  const Task& task(const std::string& name) const {
    for (const Task& task : graph.tasks) {
      if (task.name == name) return task;
    }
    FAIL("no task " + name);
    throw;
  }
  bool has_task(const std::string& name) const {
    for (const Task& task : graph.tasks) {
      if (task.name == name) return true;
    }
    return false;
  }
  std::vector<std::string> names(const std::vector<TensorId>& list) const {
    std::vector<std::string> texts;
    for (const TensorId id : list) texts.push_back(graph.tensors[id].name);
    return texts;
  }
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a network becomes a sound graph with bytes, flops and a shape for every task",
          "[lower_network]") {
  const Lowered step(small_network, {.batch = 2});
  CHECK(step.tensor("image").bytes == 2 * 4 * 6 * 6 * 4);
  CHECK(step.tensor("image").kind == Kind::input);
  CHECK(step.tensor("conv.weight").bytes == 8 * 4 * 9 * 4);
  CHECK(step.tensor("conv.weight").kind == Kind::state);
  const Task& conv = step.task("conv.forward");
  CHECK(conv.op == "conv2d.forward");
  CHECK(conv.phase == Phase::forward);
  // Two per multiply-add, and one for the bias.
  CHECK(conv.flops == 2.0 * 2 * 36 * 8 * (4 * 9) + 2 * 36 * 8);
  CHECK(conv.bytes_moved == 4.0 * (2 * 4 * 36 + 8 * 4 * 9 + 8 + 2 * 8 * 36));
  CHECK(conv.shape == "2x4x6x6,8x4x3x3,8->2x8x6x6 filters=8 kernel=3,3 padding=1,1,1,1 nhwc");
  CHECK(conv.features.at("patch_elements") == 2 * 36 * 4 * 9);
  // Of six rows, the outer taps of a kernel of three lie on five; and so of columns.
  const double on_image = 2.0 * 2 * (16 * 16) * 4 * 8;
  CHECK(conv.features.at("filter_block_flops") == Approx(on_image * 16 / 8));
  CHECK(conv.features.at("channel_block_flops") == Approx(on_image * 16 / 4));
  // Few channels: six pixels of a row in a vector of sixteen, six rows in one band.
  CHECK(conv.features.at("lane_flops") == Approx(2.0 * 2 * 36 * 8 * (4 * 9) * 16 / 6));
  CHECK(conv.features.at("bands") == 2);
  CHECK_FALSE(step.task("fc.forward").features.contains("bands"));
  // Images lie pixel by pixel, the weight by rows of its kernel, the bias in one run.
  CHECK(conv.features.at("runs") == 2 * 36 + 8 * 4 * 3 + 1 + 2 * 36);
  CHECK(conv.features.at("broken_runs") == 2 * 36 + 8 * 4 * 3);
  CHECK(conv.features.at("parameters") == 8 * 4 * 9 + 8);
  CHECK(step.names(step.graph.results) == Names{"loss"});
  // The rectifier may work in place; what it reads backward is its output.
  const Task& relu = step.task("relu.forward");
  REQUIRE(relu.may_overwrite.size() == 1);
  CHECK(step.names({relu.may_overwrite[0].first, relu.may_overwrite[0].second}) ==
        Names{"relu", "norm"});
}

TEST_CASE("flops in tiles, their rests and all of them agree", "[lower_network]") {
  const Lowered step(small_network, {.batch = 3});
  const Task& task = step.task("fc.backward_data");
  double sum = 0;
  for (const char* name : {"tile_flops", "row_rest_flops", "column_rest_flops"}) {
    const auto found = task.features.find(name);
    if (found != task.features.end()) sum += found->second;
  }
  CHECK(sum == task.flops);
}

TEST_CASE("micro-batches have tensors of their own, and one gradient in the end",
          "[lower_network]") {
  const Lowered step(small_network, {.batch = 8, .microbatches = 4});
  CHECK(step.tensor("image#3").bytes == 2 * 4 * 36 * 4);
  CHECK(step.names(step.task("conv.forward#2").reads) ==
        Names{"image.nhwc#2", "conv.weight", "conv.bias"});
  // The tree: ((0 + 1) + (2 + 3)).
  CHECK(step.names(step.task("fc.weight.grad#0:2.sum").reads) ==
        Names{"fc.weight.grad#0", "fc.weight.grad#1"});
  CHECK(step.names(step.task("fc.weight.grad.sum").reads) ==
        Names{"fc.weight.grad#0:2", "fc.weight.grad#2:4"});
  CHECK(step.names(step.task("fc.weight.update").reads) == Names{"fc.weight.grad"});
  CHECK(step.names(step.task("loss.sum").reads) == Names{"loss#0:2", "loss#2:4"});
  CHECK(step.names(step.graph.results) == Names{"loss"});
  // Each micro-batch has statistics of its own, and moves the running ones.
  CHECK(step.names(step.task("norm.running#3").reads) == Names{"norm.statistics#3"});
}

TEST_CASE("a cut layer works on parts, and sums partial results by the tree", "[lower_network]") {
  const Lowered step(small_network, {.batch = 8, .leaves = 4, .cuts = {{"conv", 1}, {"norm", 2}}});
  const Tensor& part = step.tensor("conv[2:4]");
  CHECK(part.bytes == 2 * 8 * 36 * 4);
  REQUIRE(part.part_of);
  CHECK(part.part_of->tensor == step.ids.at("conv"));
  CHECK(part.part_of->offset_bytes == part.bytes);
  CHECK(step.names(step.task("conv.forward[2:4]").writes) == Names{"conv[2:4]"});
  CHECK(step.names(step.task("conv.forward[2:4]").reads) ==
        Names{"image.nhwc[2:4]", "conv.weight", "conv.bias"});
  CHECK(step.names(step.task("conv.backward_weights[6:8]").writes) ==
        Names{"conv.weight.grad[6:8]", "conv.bias.grad[6:8]"});
  CHECK(step.names(step.task("conv.weight.grad[piece 2:4].sum").reads) ==
        Names{"conv.weight.grad[4:6]", "conv.weight.grad[6:8]"});
  CHECK(step.names(step.task("conv.weight.grad.sum").reads) ==
        Names{"conv.weight.grad[piece 0:2]", "conv.weight.grad[piece 2:4]"});
  // Means and squares are merged, not added; all pieces are normalised by the whole.
  CHECK(step.task("norm.statistics.sum").op == "batch_norm.merge");
  CHECK(step.names(step.task("norm.forward[0:4]").reads) ==
        Names{"norm.statistics", "norm.weight", "norm.bias", "conv[0:4]"});
  CHECK(step.task("norm.forward[0:4]").shape.ends_with("leaves=2"));
  // What is not cut keeps its leaves in one task, with room for the sums of each level.
  CHECK(step.task("fc.backward_weights").shape.ends_with("leaves=4"));
  const auto sums = 2 * (aligned_workspace(step.tensor("fc.weight.grad").bytes) +
                         aligned_workspace(step.tensor("fc.bias.grad").bytes));
  const Lowered one_leaf(small_network, {.batch = 2});
  CHECK(step.task("fc.backward_weights").workspace_bytes ==
        aligned_workspace(one_leaf.task("fc.backward_weights").workspace_bytes) + sums);
}

TEST_CASE("leaves that no power of two divides leave a shorter last piece", "[lower_network]") {
  const Lowered step(small_network, {.batch = 6, .leaves = 3, .cuts = {{"conv", 2}}});
  CHECK(step.has_task("conv.forward[0:4]"));
  CHECK(step.has_task("conv.forward[4:6]"));
}

TEST_CASE("replicas have state of their own and the same gradients", "[lower_network]") {
  const Lowered step(small_network, {.batch = 8, .microbatches = 4, .replicas = 2});
  CHECK(step.names(step.task("fc.forward#1").reads) ==
        Names{"relu.nchw#1", "fc.weight", "fc.bias"});
  CHECK(step.names(step.task("fc.forward#2").reads) ==
        Names{"relu.nchw#2", "fc.weight@n1", "fc.bias@n1"});
  CHECK(step.names(step.task("fc.weight.update@n1").reads) == Names{"fc.weight.grad"});
  CHECK(step.names(step.task("fc.weight.update@n1").updates) == Names{"fc.weight@n1"});
  CHECK(step.names(step.task("norm.running#0@n1").updates) ==
        Names{"norm.running_mean@n1", "norm.running_var@n1"});
}

TEST_CASE("concatenations and splits are views where bytes lie side by side", "[lower_network]") {
  const Lowered one_sample(branching_network, {.batch = 1, .layout = ImageLayout::nchw});
  CHECK_FALSE(one_sample.has_task("both.forward"));
  CHECK_FALSE(one_sample.has_task("parts.forward"));
  CHECK(one_sample.tensor("b").part_of->tensor == one_sample.ids.at("both"));
  CHECK(one_sample.tensor("b").part_of->offset_bytes == one_sample.tensor("a").bytes);
  CHECK(one_sample.tensor("parts.1").part_of->tensor == one_sample.ids.at("both"));
  CHECK(one_sample.tensor("a.grad").part_of->tensor == one_sample.ids.at("both.grad"));
  // The two gradients of the split are one and the same tensor, that of the sum.
  CHECK(one_sample.has_task("parts.backward"));

  const Lowered two_samples(branching_network, {.batch = 2, .layout = ImageLayout::nchw});
  CHECK(two_samples.has_task("both.forward"));
  CHECK(two_samples.has_task("parts.forward"));
  const Lowered channels_last(branching_network, {.batch = 1});
  CHECK(channels_last.has_task("both.forward"));
}

TEST_CASE("what a network cannot be lowered to is said", "[lower_network]") {
  const Network network = parse_network(small_network, "test");
  const auto fault = [&](const Lowering& lowering) -> std::string {
    try {
      lower_network(network, lowering);
      return "";
    } catch (const InputError& error) {
      return error.what();
    }
  };
  CHECK(fault({.batch = 0}) == "/lowering/batch: 0; expected 1 to 1048576");
  CHECK(fault({.batch = 3, .microbatches = 2}) ==
        "/lowering/microbatches: 2; expected a divisor of 3 samples");
  CHECK(fault({.batch = 4, .microbatches = 2, .leaves = 4}) ==
        "/lowering/leaves: 4; expected a divisor of 2 samples of a micro-batch");
  CHECK(fault({.batch = 4, .microbatches = 2, .replicas = 4}) ==
        "/lowering/replicas: 4; expected a divisor of 2 micro-batches");
  CHECK(fault({.batch = 4, .leaves = 4, .cuts = {{"none", 1}}}) ==
        "/lowering/cuts/0: no layer is named \"none\"; expected one");
  CHECK(fault({.batch = 4, .leaves = 4, .cuts = {{"conv", 3}}}) ==
        "/lowering/cuts/0: pieces of 3 leaves; expected a power of two");
}

TEST_CASE("every bundled network is lowered to a sound graph in every way",
          "[lower_network][zoo]") {
  const std::vector<Lowering> ways = {
      {.batch = 1},
      {.batch = 32},
      {.batch = 1, .layout = ImageLayout::nchw},
      {.batch = 8, .microbatches = 4, .leaves = 2},
      {.batch = 8, .microbatches = 2, .leaves = 4, .replicas = 2, .layout = ImageLayout::nchw}};
  for (const std::string& path : bundled_files("models", "stint-model")) {
    const Network network = read_network(path);
    for (Lowering lowering : ways) {
      CAPTURE(path, lowering.batch, lowering.microbatches, lowering.leaves);
      if (lowering.leaves > 1 && network.layers.size() < 500) {
        for (const Layer& layer : network.layers) lowering.cuts.push_back({layer.name, 1});
      }
      const Graph graph = lower_network(network, lowering);
      CHECK_NOTHROW(check(graph));
      CHECK(graph.results.size() == 1);
    }
  }
}
