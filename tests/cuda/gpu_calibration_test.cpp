// Links to GPUs and time models of GPUs, measured on the host implementation of CUDA's libraries
// with a clock of its own, so that it is known what should be found.
#include <time.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "executor/accelerator.hpp"
#include "executor/calibrate/calibrate.hpp"
#include "executor/calibrate/calibration_text.hpp"
#include "executor/calibrate/gpu_clocks.hpp"
#include "executor/calibrate/measure_gpu_power.hpp"
#include "executor/calibrate/measure_links.hpp"
#include "files/text_file.hpp"
#include "schedules/cost.hpp"
#include "tests/cuda/gpu_runs.hpp"

using namespace stint;

namespace {

// Before the library is first called: two GPUs; 4 µs an operation, 500 GB/s, 8 TFLOP/s; copies:
// 9 µs, 12 GB/s in, 11 GB/s out.
constexpr const char* clock_text = "4000,500000,8000000,9000,12000,11000";
const bool has_clock = setenv("STINT_CUDA_HOST_DEVICES", "2", 1) == 0 &&
                       setenv("STINT_CUDA_HOST_CLOCK", clock_text, 1) == 0;

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

namespace {

// Models of the GPU from networks of so many shapes, on its own clock.
JudgedModels modelled(const Platform& platform) {
  const DesignLimits limits{.networks = 8, .most_flops = 1e7, .most_bytes = 1 << 20};
  const NetworkDesign design = network_design_for_gpus(limits, platform.memories[1].bytes);
  const StepClock clock = gpu_clock(platform, DeviceId{0});
  const std::atomic<bool> interrupted{false};
  const auto seen = observe(design, platform.devices[0], {clock, clock}, interrupted,
                            [](std::size_t, std::size_t) {});
  return fit_and_judge(seen, {});
}

void check_models(const JudgedModels& judged) {
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

// Seconds of a run's actions on the GPU and of its copies, as planned and by the GPU's clock. The
// kernels compute nothing there, so the loss is no number, which `run` says.
struct PlannedAndMeasured {
  double planned = 0;
  double measured = 0;
};
std::map<std::string, PlannedAndMeasured> replayed_by_clock(const Platform& platform) {
  const TemporaryFolder folder;
  const std::string file = folder.file("platform.json", platform_text(platform));
  const std::string schedule = folder.path("schedule.json");
  const Ran plan = run_program("plan", {bundled("models/lenet5.json"), file, "--batch", "12",
                                        "--memory", "60%", "--limit", "0.1", "-o", schedule, "-q"});
  INFO(plan.err);
  REQUIRE(plan.exit == 0);
  const std::string report = folder.path("report.json");
  const Ran ran = run_on_host_libraries({{"CLOCK", clock_text}},
                                        {schedule, "--steps", "1", "-o", report, "-q"});
  INFO(ran.err);
  REQUIRE(ran.exit == 5);
  std::map<std::string, PlannedAndMeasured> sums;
  const auto found = nlohmann::json::parse(read_text(report));
  for (const auto& action : found.at("actions")) {
    const std::string what = action.at("class") == "copy" ? "copies" : "tasks";
    if (action.at("class") == "load") continue;  // of which a plan knows nothing
    sums[what].planned += action.at("predicted_seconds").get<double>();
    sums[what].measured += action.at("measured_seconds").get<double>();
  }
  return sums;
}

}  // namespace

TEST_CASE("time models of a GPU find what its operations take, and plans count on it", "[cuda]") {
  REQUIRE(has_clock);
  Platform platform = machine_with_gpu();
  JudgedModels judged = modelled(platform);
  check_models(judged);
  platform.devices[0].time_model = std::move(judged.time_model);
  measure_gpu_links({4096, 65536, 1 << 20, 16 << 20}, platform);
  const auto sums = replayed_by_clock(platform);
  CHECK(sums.at("tasks").measured == Approx(sums.at("tasks").planned).epsilon(0.1));
  CHECK(sums.at("copies").measured == Approx(sums.at("copies").planned).epsilon(0.02));
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
  const Device& alike = found.platform.devices[found.platform.devices.size() - 2];
  CHECK(gpu.time_model == alike.time_model);  // of the same name: measured once
  for (const Link& link : found.platform.links) {
    if (is_of_gpu(found.platform, link.from) || is_of_gpu(found.platform, link.to))
      CHECK(link.bytes_per_second.basis == Basis::measured);
  }
  CHECK(calibration_text(found).find(gpu.name + ", ") != std::string::npos);
}

TEST_CASE("a GPU's watts are those that its counter draws at rest and while it is busy", "[cuda]") {
  REQUIRE(has_clock);
  // 30 W, and 100 more for every second of this process on a core: there is no other GPU.
  class DrawingCounter : public EnergyCounter {
   public:
    std::uint64_t read() override {
      timespec now{};
      ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
      const double busy = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
      return static_cast<std::uint64_t>(1e6 * (30 * steady_seconds() + 100 * busy));
    }
  };
  std::vector<EnergyDomain> domains(1);
  domains[0].name = "gpu-0";
  domains[0].counter = std::make_unique<DrawingCounter>();
  EnergyMeter meter(std::move(domains));
  Platform platform = machine_with_gpu();
  const NetworkStep load =
      designed_networks({.networks = 1, .most_flops = 1e6, .most_bytes = 1 << 16}, 1).at(2);
  const std::atomic<bool> never{false};
  REQUIRE(measure_gpu_power(load, {0.3, "gpu-0", "fake"}, meter, never, platform, DeviceId{0}));
  const Device& gpu = platform.devices[0];
  CHECK(gpu.idle_watts.value == Approx(30).epsilon(0.2));
  CHECK(gpu.idle_watts.basis == Basis::measured);
  CHECK(gpu.states[0].busy_watts.value > 1);
  CHECK(gpu.states[0].busy_watts.basis == Basis::measured);
  const Calibration told{.platform = platform, .devices = {{gpu.name, {}}}};
  CHECK(calibration_text(told).find(" at rest, ") != std::string::npos);
  Platform other = machine_with_gpu();
  CHECK_FALSE(measure_gpu_power(load, {0.1, "gpu-1", "fake"}, meter, never, other, DeviceId{0}));
  CHECK(other.devices[0].idle_watts == machine_with_gpu().devices[0].idle_watts);
}
