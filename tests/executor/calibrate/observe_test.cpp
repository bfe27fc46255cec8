// From designed networks to judged time models, on machines that are made up.
#include "executor/calibrate/observe.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "executor/calibrate/calibration_text.hpp"
#include "schedules/cache_traffic.hpp"
#include "schedules/cost.hpp"
#include "tests/executor/calibrate/made_up_machine.hpp"

using namespace stint;
using Catch::Contains;

namespace {

const std::atomic<bool> never{false};
const MeasureProgress unseen = [](std::size_t, std::size_t) {};

const DesignLimits small{.networks = 16, .most_flops = 1e7, .most_bytes = 1 << 20};

const TimeModel machine{.terms = {{"constant", 2e-6}, {"flops", 1e-10}, {"bytes", 2e-10}},
                        .knots = {{"bytes", {{1 << 18, 3e-10}}}}};

std::vector<Observation> observed(double noise) {
  return observe(network_design(small), {}, made_up_clocks(machine, noise), never, unseen);
}

}  // namespace

TEST_CASE("designed networks are sound, and the same for the same seed", "[calibrate]") {
  const auto networks = designed_networks(small, 3);
  REQUIRE(networks.size() == 48);
  for (const auto& [network, lowering] : networks) CHECK_NOTHROW(check(network));
  const auto again = designed_networks(small, 3);
  for (std::size_t i = 0; i < networks.size(); ++i) CHECK(networks[i].network == again[i].network);
  CHECK(designed_networks(small, 4)[0].network != networks[0].network);
}

TEST_CASE("networks to judge by are others than those that models are fitted to", "[calibrate]") {
  const NetworkDesign design = network_design(small);
  CHECK(design.fitted.size() == 36);
  CHECK(design.held_out.size() == 12);
  for (const NetworkStep& held_out : design.held_out) {
    for (const NetworkStep& fitted : design.fitted)
      CHECK_FALSE((held_out.network == fitted.network && held_out.lowering == fitted.lowering));
  }
}

TEST_CASE("designed networks run every op that training has", "[calibrate]") {
  std::set<std::string> ops;
  for (const Observation& one : observed(0)) ops.insert(one.task.op);
  for (const char* layer : {"conv2d",
                            "conv_transpose2d",
                            "linear",
                            "matmul",
                            "attention",
                            "batch_norm",
                            "layer_norm",
                            "lrn",
                            "softmax",
                            "relu",
                            "gelu",
                            "sigmoid",
                            "tanh",
                            "dropout",
                            "add",
                            "mul",
                            "bias",
                            "scale",
                            "affine",
                            "max_pool2d",
                            "avg_pool2d",
                            "global_avg_pool",
                            "embedding",
                            "transpose",
                            "sgd",
                            "adam",
                            "cross_entropy",
                            "mse",
                            "sum"}) {
    CAPTURE(layer);
    CHECK(std::any_of(ops.begin(), ops.end(),
                      [&](const std::string& op) { return op.substr(0, op.find('.')) == layer; }));
  }
  for (const char* op :
       {"conv2d.forward", "conv2d.backward_data", "conv2d.backward_weights", "conv2d_relu.forward",
        "conv2d_relu.backward", "conv2d_relu_pool.forward", "conv2d_relu_pool.backward"})
    CHECK(ops.contains(op));
}

TEST_CASE("every step is measured once, and the held-out ones once more and alone", "[calibrate]") {
  std::size_t readings = 0;
  std::size_t told = 0;
  StepClocks clocks = made_up_clocks(machine, 0);
  const auto counted = [&](const StepClock& clock) {
    return [&readings, clock](const NetworkStep& step, const LoweredNetwork& lowered) {
      ++readings;
      return clock(step, lowered);
    };
  };
  clocks = {counted(clocks.seconds), counted(clocks.alone)};
  const auto seen = observe(network_design(small), {}, clocks, never,
                            [&](std::size_t, std::size_t all) { told = all; });
  std::set<std::size_t> steps;
  std::set<std::size_t> held_out;
  for (const Observation& one : seen) {
    steps.insert(one.step);
    if (one.held_out) held_out.insert(one.step);
    CHECK((one.again_seconds > 0) == one.held_out);
    CHECK((one.alone_seconds > 0) == one.held_out);
  }
  CHECK(steps.size() == 48);
  CHECK(held_out.size() == 12);
  CHECK(readings == 48 + 2 * 12);
  CHECK(told == readings);
}

TEST_CASE("measuring ends when it is interrupted", "[calibrate]") {
  const std::atomic<bool> at_once{true};
  CHECK(observe(network_design(small), {}, made_up_clocks(machine, 0), at_once, unseen).empty());
}

TEST_CASE("a calibration that is interrupted measures nothing more", "[calibrate]") {
  const std::atomic<bool> at_once{true};
  const Calibration found = calibrate({.quick = true}, at_once);
  CHECK(found.devices.empty());
  for (const Device& device : found.platform.devices) {
    CHECK_FALSE(device.time_model.contains("cache"));
    CHECK_FALSE(device.time_model.contains("hand_over"));
  }
}

TEST_CASE("what tasks fetch from beyond a cache is modelled like any other feature",
          "[calibrate]") {
  Device device;
  device.caches = {{.level = 1, .bytes = 32 << 10, .shared_by = 1},
                   {.level = 2, .bytes = 1 << 20, .shared_by = 1}};
  const TimeModel fetching{.terms = {{"bytes", 2e-10}, {"level2_operands", 3e-6}}};
  const StepClock clock = [&](const NetworkStep&, const LoweredNetwork& lowered) {
    const auto features = cache_features(lowered.graph, device);
    std::vector<double> seconds;
    for (std::size_t t = 0; t < features.size(); ++t) {
      Task task = lowered.graph.tasks[t];
      task.features.insert(features[t].begin(), features[t].end());
      seconds.push_back(1e-7 + modelled_seconds(task, fetching));
    }
    return seconds;
  };
  const auto seen = observe(network_design(small), device, {clock, clock}, never, unseen);
  const JudgedModels judged = fit_and_judge(seen, {1 << 15, 1 << 20});
  CHECK(judged.errors.back().error < 1e-2);
  CHECK(judged.errors[judged.errors.size() - 2].error < 1e-6);
  const TimeModel& all = judged.time_model.at("*");
  CHECK(all.terms.at("level2_operands").value == Approx(3e-6).epsilon(1e-2));
  for (const auto& [op, model] : judged.time_model) CHECK(model.terms.contains("level1_bytes"));
}

TEST_CASE("a machine without noise is modelled exactly", "[calibrate]") {
  const JudgedModels judged = fit_and_judge(observed(0), {1 << 15, 1 << 18});
  const std::size_t count = judged.errors.size();
  REQUIRE(judged.errors[count - 1].op == "step");
  REQUIRE(judged.errors[count - 2].op == "*");
  CHECK(judged.errors.size() > 40);
  for (const ModelErrors& errors : judged.errors) {
    CAPTURE(errors.op);
    CHECK(errors.noise_floor == 0);
    CHECK(errors.error < 0.2);  // some have as many prices as shapes
    CHECK(errors.alone == Approx(0.8).epsilon(errors.held_out > 0 ? 1e-9 : 1));
  }
  CHECK(judged.errors[count - 2].error < 1e-6);
  CHECK(judged.errors.back().error < 1e-2);
  CHECK(judged.errors.back().history > 0.01);
  const TimeModel& all = judged.time_model.at("*");
  CHECK(all.terms.at("bytes").value == Approx(2e-10).epsilon(1e-3));
  CHECK(all.knots.at("bytes").at(1 << 18).value == Approx(3e-10).epsilon(1e-3));
}

TEST_CASE("noise shows in the floor, the error and sigma", "[calibrate]") {
  const JudgedModels judged = fit_and_judge(observed(0.1), {1 << 15, 1 << 18});
  const ModelErrors& all = judged.errors[judged.errors.size() - 2];
  CHECK(all.noise_floor > 0.03);  // two readings of ±10 %: half of them differ by 5.9 % or more
  CHECK(all.noise_floor < 0.09);
  CHECK(all.error > 0.01);
  CHECK(all.error < 1.2 * all.noise_floor);
  CHECK(all.error < all.history / 2);
  CHECK(all.sigma < 0.2);
  const TimeModel& model = judged.time_model.at("conv2d.forward");
  REQUIRE(model.sigma.has_value());
  CHECK(model.sigma->basis == Basis::measured);
  CHECK_THAT(model.sigma->source, Contains("held-out shapes") && Contains("noise floor"));
}

TEST_CASE("the same measurements give the same models", "[calibrate]") {
  CHECK(fit_and_judge(observed(0.1), {}).time_model == fit_and_judge(observed(0.1), {}).time_model);
}

TEST_CASE("a calibration is told to people and to programs", "[calibrate]") {
  Calibration found;
  found.platform = read_platform(STINT_SOURCE_DIR "/platforms/desk.json");
  found.devices = {{"cpu", fit_and_judge(observed(0.1), {}).errors}};
  CHECK_THAT(calibration_text(found), Contains("cpu, all workers busy: ") &&
                                          Contains("noise floor") && Contains("watts are assumed"));
  CHECK_THAT(comparison_text(found), Contains("op on cpu") && Contains("history") &&
                                         Contains("conv2d.backward_weights") &&
                                         Contains("medians on cpu") && Contains("uncorrected") &&
                                         Contains("held-out steps"));
  CHECK_THAT(calibration_json(found), Contains("\"noise_floor\"") && Contains("\"busy\": \"all\""));
}
