// Every kernel against its reference, task by task, so that errors do not add up.
#include <catch2/catch.hpp>
#include <cmath>

#include "executor/cpu/dnn/dnn_ops.hpp"
#include "executor/cpu/own/own_kernel.hpp"
#include "tests/support/network_steps.hpp"
#include "tests/support/operation_networks.hpp"

using namespace stint;

namespace {

double largest(const std::vector<double>& values) {
  double found = 0;
  for (const double value : values) found = std::max(found, std::abs(value));
  return found;
}

// Roundings are in proportion to what is added up, which may cancel out.
double tolerance(const ReferenceStep& reference, const Task& task, TensorId result) {
  double inputs = 0;
  for (const TensorId read : task.reads) inputs = std::max(inputs, largest(reference.values(read)));
  return 2e-5 * largest(reference.values(result)) + 1e-6 * inputs;
}

// Results that are numbers; where a maximum came from is the kernel's own affair.
void check_results(const LoweredNetwork& lowered, const Task& task, const ReferenceStep& reference,
                   KernelStep& kernels) {
  for (const auto* list : {&task.writes, &task.updates}) {
    for (const TensorId tensor : *list) {
      if (reference.element(tensor) != Element::f32) continue;
      const double most = tolerance(reference, task, tensor);
      const auto expected = reference.values(tensor);
      const auto found = kernels.values(tensor, Element::f32);
      CAPTURE(lowered.graph.tensors[tensor].name);
      REQUIRE(found.size() == expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        CAPTURE(i, found[i], expected[i], most);
        if (!(std::abs(found[i] - expected[i]) <= most)) {
          FAIL_CHECK("a kernel differs from its reference");
          break;
        }
      }
      kernels.set(tensor, Element::f32, expected);
    }
  }
}

bool can_run(const TaskKernel& kernel) {
#ifdef STINT_TEST_ONEDNN
  return !kernel.op.empty();
#else
  return !is_dnn_op(kernel.op);
#endif
}

}  // namespace

TEST_CASE("kernels compute what their references do, in both layouts and in any leaves",
          "[kernels]") {
  const std::string name = GENERATE(from_range(operation_network_names()));
  const ImageLayout layout = GENERATE(ImageLayout::nhwc, ImageLayout::nchw);
  const auto [microbatches, leaves] = GENERATE(table<std::int64_t, std::int64_t>(
      {std::make_tuple(1, 1), std::make_tuple(1, 2), std::make_tuple(2, 3)}));
  CAPTURE(name, to_string(layout), microbatches, leaves);
  const LoweredNetwork lowered = lower_with_kernels(
      operation_network(name),
      {.batch = 6, .microbatches = microbatches, .leaves = leaves, .layout = layout});
  ReferenceStep reference(lowered, 2);
  reference.round_results();
  KernelStep kernels(lowered);
  copy_given(lowered, reference, kernels);
  for (std::size_t i = 0; i < lowered.graph.tasks.size(); ++i) {
    const Task& task = lowered.graph.tasks[i];
    CAPTURE(task.name, task.shape);
    reference.run(static_cast<TaskId>(i));
    if (!can_run(lowered.kernels[i])) {
      for (const TensorId tensor : task.writes)
        kernels.set(tensor, reference.element(tensor), reference.values(tensor));
      continue;
    }
    if (const auto own = make_own_kernel(leaf_of(lowered.kernels[i])))
      CHECK(own->workspace_bytes() <= task.workspace_bytes);
    kernels.run(static_cast<TaskId>(i));
    check_results(lowered, task, reference, kernels);
  }
}
