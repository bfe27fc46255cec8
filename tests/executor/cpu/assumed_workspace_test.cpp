// What plans assume of kernels' workspace, against the kernels of this machine.
#include <catch2/catch.hpp>
#include <set>

#include "executor/cpu/leaf_kernels.hpp"
#include "models/training/lower_network.hpp"
#include "tests/executor/cpu/trainings.hpp"

using namespace stint;

namespace {

void expect_enough(const Network& network, ImageLayout layout) {
  const LoweredNetwork lowered = lower_with_kernels(network, {.batch = 4, .layout = layout});
  std::set<std::string> seen;
  for (std::size_t t = 0; t < lowered.kernels.size(); ++t) {
    const Task& task = lowered.graph.tasks[t];
    if (!seen.insert(task.op + task.shape).second) continue;
    const auto kernel = make_cpu_kernel(leaf_of(lowered.kernels[t]));
    CAPTURE(task.name, task.shape, kernel->algorithm());
    CHECK(kernel->workspace_bytes() <= task.workspace_bytes);
  }
}

}  // namespace

TEST_CASE("no kernel of a bundled network needs more workspace than plans assume", "[training]") {
  const std::string name = GENERATE("mlp", "lenet5", "dahl_cnn", "gpt_tiny", "resnet18", "vgg11",
                                    "mobilenet_v2", "unet", "inception", "densenet121");
  const auto layout = GENERATE(ImageLayout::nhwc, ImageLayout::nchw);
  CAPTURE(name, to_string(layout));
  expect_enough(bundled_network(name), layout);
}

TEST_CASE("neither do those of thin networks on small images", "[training]") {
  const std::string name = GENERATE("resnet18", "vgg11", "mobilenet_v2", "unet", "inception");
  const auto layout = GENERATE(ImageLayout::nhwc, ImageLayout::nchw);
  CAPTURE(name, to_string(layout));
  expect_enough(thin_network(name, 32), layout);
}
