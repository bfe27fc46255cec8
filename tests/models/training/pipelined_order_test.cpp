#include "models/training/pipelined_order.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "files/input_error.hpp"
#include "models/training/lower_network.hpp"

using namespace stint;

namespace {

// Linear layers in a row, the last of which may share the weight of the first.
Network row_of_layers(int layers, bool shares = false) {
  std::string list;
  for (int i = 0; i < layers; ++i) {
    const std::string name = "fc" + std::to_string(i);
    const std::string input = i == 0 ? "x" : "fc" + std::to_string(i - 1);
    list += (i == 0 ? "" : ",") + std::string(R"({"name": ")") + name +
            R"(", "op": "linear", "features": 8, "bias": false, "inputs": [")" + input + "\"]" +
            (shares && i == layers - 1 ? R"(, "weight_of": "fc0")" : "") + "}";
  }
  return parse_network(
      R"({"format": "stint-model", "version": 1, "name": "row",
          "inputs": [{"name": "x", "shape": ["batch", 8]}, {"name": "y", "shape": ["batch", 8]}],
          "layers": [)" +
          list + R"(], "loss": {"op": "mse", "inputs": ["fc)" + std::to_string(layers - 1) +
          R"(", "y"]}, "optimizer": {"op": "sgd", "learning_rate": 0.1}})",
      "row");
}

Lowering one_layer_each(int stages, int microbatches) {
  Lowering lowering{.batch = 2 * microbatches, .microbatches = microbatches};
  for (int i = 0; i < stages; ++i) lowering.pipelined.push_back("fc" + std::to_string(i));
  return lowering;
}

// "fc1.weight:3" is version 3, "fc1.weight" the newest.
struct WeightRead {
  std::string weight;
  std::int64_t version = -1;
};
std::optional<WeightRead> weight_read(const std::string& tensor) {
  const std::size_t end = tensor.find(".weight");
  if (end == std::string::npos || tensor.find(".grad") != std::string::npos) return std::nullopt;
  const std::size_t colon = tensor.find(':');
  WeightRead read{tensor.substr(0, colon)};
  if (colon != std::string::npos) read.version = std::stoll(tensor.substr(colon + 1));
  return read;
}

// By weight and micro-batch the versions that its tasks read; by weight the versions that are there
// at once at most, followed along the listed order.
struct Versions {
  std::map<std::pair<std::string, std::int64_t>, std::set<std::int64_t>> read;
  std::map<std::string, int> at_once;
};

Versions versions_of(const LoweredNetwork& lowered) {
  const Graph& graph = lowered.graph;
  std::map<TensorId, std::size_t> last_use;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    for (const TensorId tensor : graph.tasks[t].reads) last_use[tensor] = t;
  }
  Versions versions;
  std::map<std::string, std::int64_t> newest;
  std::map<std::string, std::set<TensorId>> stashed;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    const Task& task = graph.tasks[t];
    for (const TensorId tensor : task.reads) {
      auto read = weight_read(graph.tensors[tensor].name);
      if (!read || task.op == "stash") continue;
      if (read->version < 0) read->version = newest[read->weight];
      versions.read[{read->weight, lowered.origins[t].microbatch}].insert(read->version);
    }
    for (auto& [weight, copies] : stashed)
      std::erase_if(copies, [&](TensorId copy) { return last_use.at(copy) < t; });
    for (const TensorId tensor : task.writes) {
      const auto written = weight_read(graph.tensors[tensor].name);
      if (!written) continue;
      REQUIRE(task.op == "stash");
      CHECK(written->version == newest[written->weight]);
      stashed[written->weight].insert(tensor);
    }
    for (const TensorId tensor : task.updates) ++newest[graph.tensors[tensor].name];
    for (const auto& [weight, version] : newest)
      versions.at_once[weight] =
          std::max(versions.at_once[weight], 1 + static_cast<int>(stashed[weight].size()));
  }
  return versions;
}

}  // namespace

TEST_CASE("stages take their turns one forward, one backward, without waiting for updates",
          "[pipelined]") {
  const int stages = GENERATE(1, 2, 3, 5);
  const int microbatches = GENERATE(1, 2, 4, 9);
  std::vector<int> forward(stages, 0);
  std::vector<int> backward(stages, 0);
  std::vector<int> most(stages, 0);
  for (const auto& [stage, microbatch, is_forward] : stage_turns(stages, microbatches)) {
    if (is_forward) {
      CHECK(microbatch == forward[stage]++);
      CHECK(backward[stage] == std::max<std::int64_t>(0, microbatch - (stages - 1 - stage)));
      if (stage > 0) CHECK(forward[stage - 1] > microbatch);
    } else {
      CHECK(microbatch == backward[stage]++);
      CHECK(forward[stage] > microbatch);
      if (stage + 1 < stages) CHECK(backward[stage + 1] > microbatch);
    }
    most[stage] = std::max(most[stage], forward[stage] - backward[stage]);
  }
  for (int i = 0; i < stages; ++i) {
    CHECK(forward[i] == microbatches);
    CHECK(backward[i] == microbatches);
    CHECK(most[i] == std::min(stages - i, microbatches));
  }
}

TEST_CASE("a micro-batch goes back through the versions of weights that it went forward through",
          "[pipelined]") {
  const int stages = GENERATE(1, 2, 4);
  const int microbatches = GENERATE(1, 3, 9);
  const LoweredNetwork lowered =
      lower_with_kernels(row_of_layers(stages), one_layer_each(stages, microbatches));
  check(lowered.graph);
  const Versions versions = versions_of(lowered);
  for (int i = 0; i < stages; ++i) {
    const std::string weight = "fc" + std::to_string(i) + ".weight";
    for (int j = 0; j < microbatches; ++j)
      CHECK(versions.read.at({weight, j}) ==
            std::set<std::int64_t>{std::max(0, j - (stages - 1 - i))});
    const bool is_read_back = i > 0;  // what is before the first layer wants no gradient
    if (microbatches == 9) CHECK(versions.at_once.at(weight) == (is_read_back ? stages - i : 1));
  }
  int updates = 0;
  for (const TaskKernel& kernel : lowered.kernels) {
    if (!std::holds_alternative<Optimizer>(kernel.origin)) continue;
    ++updates;
    CHECK(kernel.updates_of_step == microbatches);
    CHECK(kernel.update < microbatches);
  }
  CHECK(updates == stages * microbatches);
}

TEST_CASE("a weight that stages share has one version for each micro-batch", "[pipelined]") {
  const LoweredNetwork lowered = lower_with_kernels(row_of_layers(3, true), one_layer_each(3, 8));
  check(lowered.graph);
  const Versions versions = versions_of(lowered);
  for (int j = 0; j < 8; ++j)
    CHECK(versions.read.at({"fc0.weight", j}) == std::set<std::int64_t>{std::max(0, j - 2)});
}

TEST_CASE("a loss is the mean of the step, its gradient that of a micro-batch that runs ahead",
          "[pipelined]") {
  const LoweredNetwork lowered = lower_with_kernels(row_of_layers(2), one_layer_each(2, 4));
  for (const TaskKernel& kernel : lowered.kernels) {
    if (kernel.op == "mse.forward") CHECK(kernel.batch == 8);
    if (kernel.op == "mse.backward") CHECK(kernel.batch == 2);
  }
}

TEST_CASE("stages that run ahead must be the network's layers in a row", "[pipelined]") {
  const Network network = row_of_layers(3);
  const auto refused = [&](std::vector<std::string> first, std::int64_t replicas = 1) {
    Lowering lowering = one_layer_each(0, 4);
    lowering.pipelined = std::move(first);
    lowering.replicas = replicas;
    CHECK_THROWS_AS(lower_network(network, lowering), InputError);
  };
  refused({"fc1"});
  refused({"fc0", "fc2", "fc1"});
  refused({"fc0", "fc0"});
  refused({"fc0", "loss"});
  refused({"fc0", "fc1"}, 2);
  Lowering of_tasks;
  of_tasks.pipelined = {"a"};
  CHECK_THROWS_AS(lower(Model{Graph{}}, of_tasks), InputError);
}
