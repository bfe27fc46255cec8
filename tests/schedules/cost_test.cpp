#include "schedules/cost.hpp"

#include <catch2/catch.hpp>

#include "models/lowering.hpp"
#include "tests/support/bundled_files.hpp"
#include "tests/support/small_schedules.hpp"
#include "tests/support/tiny_network.hpp"

using namespace stint;

namespace {

Platform machine_with_model() {
  Platform platform = course_machine();
  TimeModel any;
  any.terms = {{"constant", 1.0}, {"flops", 0.5}, {"bytes", 0.25}};
  TimeModel conv;
  conv.terms = {{"flops", 2.0}, {"tiles", 100.0}};
  conv.knots = {{"bytes", {{10, 3.0}, {20, 1.0}}}};
  platform.devices[0].time_model = {{"*", any}, {"conv2d.forward", conv}};
  return platform;
}

Task task(const std::string& op, double flops, double bytes_moved) {
  Task task;
  task.op = op;
  task.flops = flops;
  task.bytes_moved = bytes_moved;
  return task;
}

std::optional<double> seconds(const Task& task, const Platform& platform) {
  return TaskTimes(platform).seconds_at_speed_1(task, DeviceId{0});
}

}  // namespace

TEST_CASE("seconds given by a task win: full name, then name, then kind", "[cost]") {
  Platform platform = machine_with_model();
  platform.devices[0].kind = "core";
  Task given = task("conv2d.forward", 4, 0);
  given.seconds = {{"core", 3.0}};
  CHECK(seconds(given, platform) == 3.0);
  given.seconds["cpu"] = 2.0;
  CHECK(seconds(given, platform) == 2.0);
  given.seconds["n0/cpu"] = 1.0;
  CHECK(seconds(given, platform) == 1.0);
}

TEST_CASE("a time model prices what has no seconds, by its op or by *", "[cost]") {
  const Platform platform = machine_with_model();
  CHECK(seconds(task("relu.forward", 4, 8), platform) == 1 + 2 + 2);
  CHECK(seconds(task("", 4, 8), platform) == 1 + 2 + 2);
  CHECK(seconds(task("conv2d.forward", 4, 8), platform) == 8);
  CHECK(seconds(task("conv2d.forward", 4, 15), platform) == 8 + 3 * 5);
  CHECK(seconds(task("conv2d.forward", 4, 25), platform) == 8 + 3 * 15 + 5);
}

TEST_CASE("a time model counts what a task's features say, and nothing where it has none",
          "[cost]") {
  Task with_tiles = task("conv2d.forward", 4, 8);
  with_tiles.features = {{"tiles", 3}, {"rows", 5}};
  CHECK(seconds(with_tiles, machine_with_model()) == 8 + 3 * 100);
}

TEST_CASE("a measured kernel of the task's op and shape wins over the time model", "[cost]") {
  Platform platform = machine_with_model();
  const auto measured = [&](const char* op, const char* shape, double time) {
    Kernel kernel;
    kernel.op = op;
    kernel.shape = shape;
    kernel.seconds = time;
    platform.devices[0].kernels.push_back(kernel);
  };
  measured("relu.forward", "64", 7);
  measured("conv2d.forward", "8x8", 30);
  measured("conv2d.forward", "8x4", 20);
  measured("conv2d.forward", "8x8", 10);
  measured("conv2d.forward", "", 40);
  Task given = task("conv2d.forward", 4, 8);
  CHECK(seconds(given, platform) == 8);
  given.shape = "8x8";
  CHECK(seconds(given, platform) == 30);
  given.shape = "8x4";
  CHECK(seconds(given, platform) == 20);
  given.shape = "8x5";
  CHECK(seconds(given, platform) == 8);
  given.shape = "64";
  CHECK(seconds(given, platform) == 8);
  given.op = "relu.forward";
  CHECK(seconds(given, platform) == 7);
  platform.devices[0].time_model.clear();
  CHECK(seconds(given, platform) == 7);
  given.seconds = {{"cpu", 1.0}};
  CHECK(seconds(given, platform) == 1);
}

TEST_CASE("every device of every bundled machine prices the tasks of a network", "[cost]") {
  const Graph step = lower(tiny_network(), {.batch = 4, .microbatches = 2, .leaves = 2});
  for (const std::string& file : bundled_files("platforms", "stint-platform")) {
    CAPTURE(file);
    const Platform platform = read_platform(file);
    const TaskTimes times(platform);
    for (int device = 0; device < static_cast<int>(platform.devices.size()); ++device) {
      for (const Task& task : step.tasks) {
        CAPTURE(task.name);
        CHECK(times.seconds_at_speed_1(task, DeviceId{device}).value_or(0) > 0);
      }
    }
  }
}

TEST_CASE("a task with times for other devices only cannot run", "[cost]") {
  Task elsewhere;
  elsewhere.seconds = {{"cuda", 1.0}};
  CHECK(!seconds(elsewhere, machine_with_model()));
  CHECK(!seconds(task("relu.forward", 4, 8), course_machine()));
}

TEST_CASE("busy watts may differ by op class", "[cost]") {
  PowerState state;
  state.busy_watts = 7.0;
  state.busy_watts_by_class = {{"conv", 9.0}};
  CHECK(busy_watts(task("conv2d.backward_weights", 0, 0), state) == 9.0);
  CHECK(busy_watts(task("relu.forward", 0, 0), state) == 7.0);
  CHECK(op_class("linear.forward") == "gemm");
  CHECK(op_class("layer_norm.backward") == "reduction");
  CHECK(op_class("unheard_of") == "");
}

TEST_CASE("a copy costs latency and bandwidth, joules per byte and the link's watts", "[cost]") {
  Link link;
  link.bytes_per_second = 4.0;
  link.latency_seconds = 0.5;
  link.joules_per_byte = 2.0;
  link.active_watts = 10.0;
  CHECK(copy_seconds(link, 8) == 2.5);
  CHECK(copy_joules(link, 8) == 16 + 25.0);
  CHECK(copy_seconds(link, 0) == 0.5);
}
