// A step of layers in shards changes the state as the same step of whole layers does: in double
// precision, by the references, where only the order of sums differs.
#include <catch2/catch.hpp>
#include <map>

#include "models/training/weight_order.hpp"
#include "tests/executor/cpu/sharded_networks.hpp"
#include "tests/support/network_steps.hpp"

using namespace stint;

namespace {

std::map<std::string, TensorId> state_of(const Graph& graph) {
  std::map<std::string, TensorId> tensors;
  for (int t = 0; t < static_cast<int>(graph.tensors.size()); ++t) {
    const Tensor& tensor = graph.tensors[t];
    const bool given = tensor.kind != Kind::activation && !tensor.part_of;
    if (given) tensors[tensor.name] = TensorId{t};
  }
  return tensors;
}

// Where the element is stored, by its position as listed.
std::size_t stored_at(const LoweredNetwork& lowered, const std::string& name, std::size_t i) {
  const auto order = lowered.orders.find(name);
  if (order == lowered.orders.end()) return i;
  return static_cast<std::size_t>(stored_positions(*parse_weight_order(order->second))[i]);
}

}  // namespace

TEST_CASE("a step in shards is the step of whole layers", "[shard]") {
  const ShardedCase it = GENERATE(from_range(sharded_cases()));
  CAPTURE(it.network.name, it.shards.size());
  const LoweredNetwork whole = lower_with_kernels(it.network, {.batch = 4});
  const LoweredNetwork cut = lower_with_kernels(it.network, {.batch = 4, .shards = it.shards});
  REQUIRE(cut.graph.tasks.size() > whole.graph.tasks.size());
  ReferenceStep expected(whole, 7);
  ReferenceStep step(cut, 7);
  const auto of_whole = state_of(whole.graph);
  const auto of_cut = state_of(cut.graph);
  REQUIRE(of_whole.size() == of_cut.size());
  for (const auto& [name, tensor] : of_whole) {
    const std::vector<double> values = expected.values(tensor);
    for (std::size_t i = 0; i < values.size(); ++i)
      step.set(of_cut.at(name), stored_at(cut, name, i), values[i]);
  }
  for (std::size_t t = 0; t < whole.graph.tasks.size(); ++t) expected.run(static_cast<TaskId>(t));
  for (std::size_t t = 0; t < cut.graph.tasks.size(); ++t) step.run(static_cast<TaskId>(t));
  CHECK(step.loss() == Approx(expected.loss()).epsilon(1e-12));
  for (const auto& [name, tensor] : of_whole) {
    CAPTURE(name);
    const std::vector<double> values = expected.values(tensor);
    const std::vector<double> now = step.values(of_cut.at(name));
    double worst = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      worst = std::max(worst, std::abs(now[stored_at(cut, name, i)] - values[i]));
    CHECK(worst < 1e-9);
  }
}
