// Kernels as they are measured, pinned in a plan, and found again when it runs.
#include <algorithm>
#include <catch2/catch.hpp>

#include "executor/calibrate/measure_kernels.hpp"
#include "executor/cpu/packed_weights.hpp"
#include "files/input_error.hpp"
#include "files/text_file.hpp"
#include "models/training/fuse.hpp"
#include "planner/plan.hpp"
#include "schedules/validate.hpp"
#include "tests/executor/cpu/trainings.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;
using Catch::Contains;

namespace {

// Grouped, transposed and strided convolutions, whose weights are listed in different ways.
Network sliding_network() {
  return parse_network(R"({
    "format": "stint-model", "version": 1, "name": "sliding",
    "inputs": [{"name": "image", "shape": ["batch", 3, 12, 12]}, {"name": "label", "shape": ["batch"], "type": "int32"}],
    "layers": [{"name": "a", "op": "conv2d", "inputs": ["image"], "filters": 20, "kernel": [3, 3], "stride": [2, 2], "padding": [1, 1]},
               {"name": "b", "op": "conv2d", "inputs": ["a"], "filters": 20, "kernel": [3, 3], "padding": [1, 1], "groups": 20},
               {"name": "c", "op": "conv2d", "inputs": ["b"], "filters": 40, "kernel": [3, 3], "groups": 2},
               {"name": "d", "op": "conv_transpose2d", "inputs": ["c"], "filters": 18, "kernel": [2, 2], "stride": [2, 2]},
               {"name": "flat", "op": "flatten", "inputs": ["d"]},
               {"name": "fc", "op": "linear", "inputs": ["flat"], "features": 5}],
    "loss": {"op": "cross_entropy", "inputs": ["fc", "label"]},
    "optimizer": {"op": "adam", "learning_rate": 0.001}})",
                       "sliding");
}

Network example(int which) {
  switch (which) {
    case 0:
      return bundled_network("lenet5");
    case 1:
      return normalised_network();
    case 2:
      return small_transformer();
    default:
      return sliding_network();
  }
}

Schedule planned_with(const Network& network, const std::vector<Kernel>& kernels,
                      const Request& request) {
  Platform platform = read_platform(bundled("platforms/desk.json"));
  for (Device& device : platform.devices) device.kernels = kernels;
  const Outcome outcome = plan(make_problem(network, platform, request, "network"), {});
  REQUIRE(outcome.schedule.has_value());
  return *outcome.schedule;
}

std::vector<Kernel> measured(const Network& network, const Lowering& lowering) {
  return measure_kernels({network, lowering}, lone_core_clock(0, 1 << 30));
}

}  // namespace

TEST_CASE("a plan for measured kernels ends with the same bits as one for assumed ones",
          "[pinned]") {
  const Network network = example(GENERATE(0, 1, 2, 3));
  CAPTURE(network.name);
  const std::int64_t microbatches = GENERATE(1, 2);
  const Request request{.batch = 8, .microbatches = microbatches, .leaves = 2};
  const Lowering lowering{.batch = 8,
                          .microbatches = microbatches,
                          .leaves = 2,
                          .fuse = can_fuse(network, ImageLayout::nhwc),
                          .post_ops = post_ops_of(network, ImageLayout::nhwc)};
  const auto kernels = measured(network, lowering);
  const Schedule pinned = planned_with(network, kernels, request);
  CHECK(validate(pinned).empty());
  CHECK(pinned.lowering.kernels.size() == kernels.size());
  for (const Task& task : pinned.graph.tasks) {
    CAPTURE(task.name, task.shape);
    CHECK(std::any_of(kernels.begin(), kernels.end(), [&](const Kernel& kernel) {
      return kernel.op == task.op && kernel.shape == task.shape;
    }));
  }
  const Schedule assumed = planned_with(network, {}, request);
  CHECK(pinned.numerics_sha256 != assumed.numerics_sha256);
  const TemporaryFolder folder;
  const RunReport one = trained(pinned, 3, {.save_file = folder.path("pinned.npz")});
  const RunReport other = trained(assumed, 3, {.save_file = folder.path("assumed.npz")});
  CHECK(one.loss == other.loss);
  CHECK(one.state_sha256 == other.state_sha256);
  CHECK(read_text(folder.path("pinned.npz")) == read_text(folder.path("assumed.npz")));
  const RunReport on = trained(pinned, 2, {.load_file = folder.path("assumed.npz")});
  const RunReport on_too = trained(assumed, 2, {.load_file = folder.path("pinned.npz")});
  CHECK(on.state_sha256 == on_too.state_sha256);
}

TEST_CASE("convolutions keep their weights packed, with reorders as tasks", "[pinned]") {
  const Network network = bundled_network("lenet5");
  const Schedule schedule = planned_with(network, measured(network, {.batch = 4}), {.batch = 4});
  bool any_order = false;
  for (const PinnedKernel& kernel : schedule.lowering.kernels)
    any_order |= !kernel.weight_order.empty();
  CHECK(any_order);
  const auto again = parse_schedule(schedule_text(schedule), "again");
  CHECK(again.lowering == schedule.lowering);
}

TEST_CASE("a machine that would run another kernel is refused, and told what to do", "[pinned]") {
  const Network network = bundled_network("mlp");
  auto kernels = measured(network, {.batch = 4});
  for (Kernel& kernel : kernels) {
    if (kernel.op == "linear.forward") kernel.algorithm = "dnnl 9.9 of tomorrow";
  }
  const Schedule schedule = planned_with(network, kernels, {.batch = 4});
  CHECK_THROWS_WITH(trained(schedule, 1),
                    Contains("of tomorrow") && Contains("calibrate --for") && !Contains("\n"));
}

TEST_CASE("a machine whose kernel needs more workspace is refused", "[pinned]") {
  const Network network = bundled_network("mlp");
  auto kernels = measured(network, {.batch = 4});
  std::int64_t most = 0;
  for (Kernel& kernel : kernels) {
    most = std::max(most, kernel.workspace_bytes);
    kernel.workspace_bytes = std::max<std::int64_t>(kernel.workspace_bytes - 64, 0);
  }
  REQUIRE(most > 0);
  const Schedule schedule = planned_with(network, kernels, {.batch = 4});
  CHECK_THROWS_WITH(trained(schedule, 1), Contains("workspace") && Contains("calibrate --for"));
}

TEST_CASE("packing and unpacking give a weight back", "[pinned]") {
  std::vector<std::byte> listed(5 * 3 * 2 * 4);
  for (std::size_t i = 0; i < listed.size(); ++i) listed[i] = static_cast<std::byte>(i);
  for (const char* order : {"", "5x3x2 Acb4a", "5x3x2 ABc2b4a", "5x3x2 cba"}) {
    CAPTURE(order);
    CHECK(in_listed_order(order, in_stored_order(order, listed)) == listed);
  }
}
