// The references are right: the gradients they compute are those of the loss they compute.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/network_steps.hpp"
#include "tests/support/operation_networks.hpp"

using namespace stint;

namespace {

// The gradient that the parameter's optimizer is given.
TensorId gradient_of(const LoweredNetwork& lowered, TensorId parameter) {
  for (const Task& task : lowered.graph.tasks) {
    const bool updates = !task.updates.empty() && task.updates[0] == parameter;
    if (updates && (task.op == "sgd.update" || task.op == "adam.update")) return task.reads[0];
  }
  return no_tensor;
}

double slope(const LoweredNetwork& lowered, TensorId parameter, std::size_t i) {
  constexpr double step = 1e-5;
  const auto loss_at = [&](double change) {
    ReferenceStep reference(lowered, 1);
    reference.set(parameter, i, reference.values(parameter)[i] + change);
    reference.run_to_loss();
    return reference.loss();
  };
  return (loss_at(step) - loss_at(-step)) / (2 * step);
}

}  // namespace

TEST_CASE("the references' gradients are the slopes of the loss", "[reference]") {
  const std::string name = GENERATE(from_range(operation_network_names()));
  CAPTURE(name);
  const LoweredNetwork lowered = lower_with_kernels(operation_network(name), {.batch = 3});
  ReferenceStep reference(lowered, 1);
  for (std::size_t i = 0; i < lowered.graph.tasks.size(); ++i) {
    if (lowered.graph.tasks[i].phase != Phase::update) reference.run(static_cast<TaskId>(i));
  }
  int checked = 0;
  for (std::size_t i = 0; i < lowered.graph.tensors.size(); ++i) {
    const auto parameter = static_cast<TensorId>(i);
    const TensorId gradient = gradient_of(lowered, parameter);
    if (gradient == no_tensor) continue;
    const std::vector<double> expected = reference.values(gradient);
    for (std::size_t at = 0; at < expected.size(); at += 1 + expected.size() / 3) {
      CAPTURE(lowered.graph.tensors[i].name, at);
      CHECK(slope(lowered, parameter, at) == Approx(expected[at]).epsilon(1e-4).margin(1e-7));
      ++checked;
    }
  }
  CHECK(checked > 1);
}
