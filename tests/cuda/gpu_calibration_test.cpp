// Links to GPUs and time models of GPUs, measured on the host implementation of CUDA's libraries
// with a clock of its own, so that it is known what should be found.
#include <catch2/catch.hpp>
#include <cstdlib>

#include "executor/calibrate/calibrate.hpp"
#include "executor/calibrate/calibration_text.hpp"
#include "executor/calibrate/gpu_clocks.hpp"
#include "executor/calibrate/measure_links.hpp"
#include "schedules/cost.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

// Before the library is first called: two GPUs; 4 µs an operation, 500 GB/s, 8 TFLOP/s; copies:
// 9 µs, 12 GB/s in, 11 GB/s out.
const bool has_clock =
    setenv("STINT_CUDA_HOST_DEVICES", "2", 1) == 0 &&
    setenv("STINT_CUDA_HOST_CLOCK", "4000,500000,8000000,9000,12000,11000", 1) == 0;

Platform machine_with_gpu() { return read_platform(bundled("tests/cuda/gpu_only.json")); }

}  // namespace

TEST_CASE("links to a GPU are priced by the GPU's clock, each way by itself", "[cuda]") {
  REQUIRE(has_clock);
  Platform platform = read_platform(bundled("tests/cuda/two_gpus.json"));
  measure_gpu_links({4096, 65536, 1 << 20, 16 << 20}, platform);
  for (const Link& link : platform.links) {
    const bool goes_in = is_of_gpu(platform, link.to);
    CAPTURE(goes_in);
    CHECK(static_cast<double>(link.latency_seconds) == Approx(9e-6).epsilon(0.01));
    CHECK(static_cast<double>(link.bytes_per_second) ==
          Approx(goes_in ? 12e9 : 11e9).epsilon(0.01));
    CHECK(link.latency_seconds.basis == Basis::measured);
    CHECK(link.bytes_per_second.basis == Basis::measured);
  }
}

TEST_CASE("time models of a GPU find what its operations take", "[cuda]") {
  REQUIRE(has_clock);
  Platform platform = machine_with_gpu();
  const DesignLimits limits{.networks = 8, .most_flops = 1e7, .most_bytes = 1 << 20};
  const NetworkDesign design = network_design_for_gpus(limits, platform.memories[1].bytes);
  const StepClock clock = gpu_clock(platform, DeviceId{0});
  const std::atomic<bool> interrupted{false};
  const auto seen = observe(design, platform.devices[0], {clock, clock}, interrupted,
                            [](std::size_t, std::size_t) {});
  const JudgedModels judged = fit_and_judge(seen, {});
  for (const ModelErrors& errors : judged.errors) {
    CAPTURE(errors.op, errors.error, errors.noise_floor);
    CHECK(errors.noise_floor < 0.01);  // the clock is the same every time
  }
  // An operation that is one launch, whose bytes are all there is to it.
  const TimeModel& relu = judged.time_model.at("relu.forward");
  Task task{.op = "relu.forward"};
  task.bytes_moved = 8e6;
  task.flops = 1e6;
  CHECK(modelled_seconds(task, relu) == Approx(4e-6 + 8e6 / 500e9).epsilon(0.02));
  const ModelErrors& tasks = judged.errors[judged.errors.size() - 2];
  CHECK(tasks.op == "*");
  CHECK(tasks.held_out > 100);
  CHECK(tasks.error < 0.05);
  CHECK(judged.errors.back().error < 0.05);  // of whole steps
  for (const char* op : {"conv2d.forward", "conv_transpose2d.forward", "linear.backward_weights",
                         "attention.backward", "softmax.forward", "adam.update", "lrn.backward"})
    CHECK(judged.time_model.contains(op));
}

TEST_CASE("a calibration of a machine with a GPU has models and links of both", "[cuda]") {
  REQUIRE(has_clock);
  CalibrateOptions options;
  options.design = DesignLimits{.networks = 4, .most_flops = 1e6, .most_bytes = 1 << 16};
  options.all_busy = false;
  options.quick = true;
  options.meters = {.powercap = "none", .perf = "none"};
  const std::atomic<bool> interrupted{false};
  const Calibration found = calibrate(options, interrupted);
  REQUIRE(is_gpu(found.platform.devices.back()));
  const Device& gpu = found.platform.devices.back();
  REQUIRE(found.devices.size() == found.platform.devices.size());
  CHECK(found.devices.back().device == gpu.name);
  CHECK(found.devices.back().errors.size() > 20);
  CHECK(gpu.time_model.at("conv2d.forward").terms.begin()->second.basis == Basis::calibrated);
  for (const Link& link : found.platform.links) {
    if (is_of_gpu(found.platform, link.from) || is_of_gpu(found.platform, link.to))
      CHECK(link.bytes_per_second.basis == Basis::measured);
  }
  CHECK(calibration_text(found).find(gpu.name + ", ") != std::string::npos);
}
