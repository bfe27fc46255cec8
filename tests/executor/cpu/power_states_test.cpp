// Power states of a training, set action by action around real kernels.
#include <catch2/catch.hpp>

#include "executor/cpu/cpu_backend.hpp"
#include "executor/cpu/network_values.hpp"
#include "executor/data/open_samples.hpp"
#include "schedules/simulate.hpp"
#include "tests/executor/cpu/trainings.hpp"
#include "tests/executor/observing_backend.hpp"

using namespace stint;

namespace {

// Every other task in a second state.
Schedule in_turns(Schedule schedule) {
  Device& device = schedule.platform.devices[0];
  device.settable = Settable::action;
  device.states.resize(1);
  device.states.push_back(device.states.front());
  device.states.back().name = "1.6GHz";
  for (std::size_t i = 0; i < schedule.actions.size(); ++i) {
    Action& action = schedule.actions[i];
    if (action.what == Do::compute) action.state = static_cast<int>(i % 2);
    action.start_seconds = action.seconds = action.joules = std::nullopt;
  }
  schedule.predicted = predict(schedule, simulate(schedule));
  return schedule;
}

}  // namespace

TEST_CASE("a training switches states where its plan does, computes the same, and puts them back",
          "[training]") {
  const Network network = normalised_network();
  Request request;
  request.batch = 4;
  const Schedule plain = planned(network, {request}).value();
  const Schedule schedule = in_turns(plain);
  const FakeCpufreq cpufreq;
  const TemporaryFolder folder;
  const RunPowerOptions states{
      .set = true, .places = {.cpufreq = cpufreq.root()}, .saved_file = folder.path("power")};
  std::vector<std::string> seen;
  std::string state_sha256;
  {
    RunPower power(schedule, states, "plan.json");
    const LoweredNetwork lowered = lower_with_kernels(network, schedule.lowering);
    const auto samples = open_samples("", network, schedule.lowering.batch, 0, false);
    const NetworkValues values(network, lowered, schedule.lowering, *samples, 0);
    Arenas arenas(schedule, {});
    ObservingBackend<CpuBackend> backend(cpufreq, 0, schedule, lowered, arenas, values, 0);
    RunOptions options{.steps = 2, .warmup_steps = 0};
    const auto replayed =
        run_unjudged(schedule, arenas, power.switching(backend), values, options, false);
    state_sha256 = replayed.report.state_sha256;
    seen = backend.seen;
  }
  REQUIRE(seen.size() == 2 * schedule.actions.size());
  for (std::size_t i = 0; i < schedule.actions.size(); ++i) {
    const std::string expected =
        schedule.actions[i].state == 1 ? "1600000-1600000" : "900000-3000000";
    CHECK(seen[i] == expected);
    CHECK(seen[i + schedule.actions.size()] == expected);
  }
  CHECK(cpufreq.range(0) == "900000-3000000");
  CHECK(state_sha256 == trained(plain, 2).state_sha256);
}
