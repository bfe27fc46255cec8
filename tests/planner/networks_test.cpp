// Networks that people have: every bundled one, and the nine that ONNX's own tests carry.
#include <catch2/catch.hpp>
#include <filesystem>

#include "models/model.hpp"
#include "planner/plan.hpp"
#include "schedules/validate.hpp"
#include "tests/planner/problems.hpp"
#include "tests/support/bundled_files.hpp"

using namespace stint;

namespace {

Platform large_desk() {
  Platform desk = read_platform(STINT_SOURCE_DIR "/platforms/desk.json");
  for (Memory& memory : desk.memories) memory.bytes = std::int64_t{1} << 50;
  return desk;
}

Request keep_all(std::int64_t batch) {
  Request request;
  request.batch = batch;
  request.strategy = "keep-all";
  return request;
}

// Planned by keep-all, judged, and every task executed once.
void check_plan(const Model& model, const Request& request) {
  const Outcome outcome = plan(problem_of(model, large_desk(), request), {});
  REQUIRE(outcome.schedule);
  const Schedule& schedule = *outcome.schedule;
  CHECK(validate(schedule).empty());
  CHECK(schedule.predicted.recomputed == 0);
  CHECK(schedule.predicted.executions == std::ssize(schedule.graph.tasks));
}

}  // namespace

TEST_CASE("every bundled network is planned at batch 1 and 32", "[networks][zoo]") {
  for (const std::string& path : bundled_files("models", "stint-model")) {
    for (const std::int64_t batch : {1, 32}) {
      CAPTURE(path, batch);
      check_plan(read_model(path), keep_all(batch));
    }
  }
}

TEST_CASE("the light graphs of ONNX are planned at batch 1 and 32", "[networks][onnx]") {
  if (std::string(STINT_LIGHT_GRAPHS).empty()) {
    WARN("skipped: the onnx wheel was not at hand when this was configured");
    return;
  }
  int graphs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(STINT_LIGHT_GRAPHS)) {
    if (entry.path().extension() != ".onnx") continue;
    ++graphs;
    for (const std::int64_t batch : {1, 32}) {
      CAPTURE(entry.path().filename(), batch);
      check_plan(read_model(entry.path()), keep_all(batch));
    }
  }
  CHECK(graphs == 9);
}

TEST_CASE("micro-batches, leaves, pieces and both layouts give plans that hold", "[networks]") {
  for (const std::string name : {"lenet5", "resnet18", "gpt_tiny", "unet"}) {
    for (const ImageLayout layout : {ImageLayout::nhwc, ImageLayout::nchw}) {
      CAPTURE(name, to_string(layout));
      Request request = keep_all(16);
      request.microbatches = 2;
      request.leaves = 4;
      request.grain = 2;
      request.layout = layout;
      check_plan(read_model(STINT_SOURCE_DIR "/models/" + name + ".json"), request);
    }
  }
}

TEST_CASE("products have the workspace of the device that runs them, where all are GPUs",
          "[networks]") {
  const auto [file, is_gpu] = GENERATE(table<std::string, bool>(
      {{"tests/cuda/gpu_only.json", true}, {"tests/cuda/cpu_gpu.json", false}}));
  CAPTURE(file);
  Request request = keep_all(4);
  request.leaves = 4;
  const Model model = read_model(STINT_SOURCE_DIR "/models/gpt_tiny.json");
  const Platform platform = read_platform(STINT_SOURCE_DIR "/" + file);
  const Outcome outcome = plan(problem_of(model, platform, request), {});
  REQUIRE(outcome.schedule);
  CHECK(validate(*outcome.schedule).empty());
  CHECK(outcome.schedule->lowering.kernels.empty() != is_gpu);
  for (const Task& task : outcome.schedule->graph.tasks) {
    CAPTURE(task.name, task.workspace_bytes);
    if (task.op == "linear.forward" || task.op == "linear.backward_data")
      CHECK((task.workspace_bytes == 0) == is_gpu);
    // Partial results of four leaves: two levels of the tree, on any device.
    if (task.op == "linear.backward_weights") CHECK(task.workspace_bytes > 0);
  }
}
