// Power states of a run, on a tree of the test's own.
#include "executor/run_power.hpp"

#include <catch2/catch.hpp>
#include <mutex>

#include "executor/run.hpp"
#include "executor/synthetic_data.hpp"
#include "files/input_error.hpp"
#include "platforms/cores.hpp"
#include "schedules/simulate.hpp"
#include "tests/executor/observing_backend.hpp"
#include "tests/executor/replays.hpp"
#include "tests/support/small_schedules.hpp"

using namespace stint;
using Catch::Contains;

namespace {

const std::string as_found = "900000-3000000";

struct FakeMachine {
  FakeCpufreq cpufreq;
  TemporaryFolder folder;
  RunPowerOptions options() const {
    return {.set = true, .places = {.cpufreq = cpufreq.root()}, .saved_file = folder.path("power")};
  }
};

// The chain with all of its odd actions in the second state, 1.6GHz; or with all of them.
Schedule in_second_state(Settable settable, StateScope scope = StateScope::device) {
  Schedule schedule = chain_kept_whole();
  schedule.platform.devices[0].settable = settable;
  schedule.platform.devices[0].state_scope = scope;
  for (std::size_t i = 0; i < schedule.actions.size(); ++i) {
    schedule.actions[i].state = settable == Settable::run || i % 2 == 1 ? 1 : 0;
    schedule.actions[i].start_seconds = schedule.actions[i].seconds = std::nullopt;
    schedule.actions[i].joules = std::nullopt;
  }
  schedule.predicted = predict(schedule, simulate(schedule));
  return schedule;
}

std::vector<std::string> seen_in_a_run(const Schedule& schedule, const FakeMachine& machine,
                                       int policy) {
  RunPower power(schedule, machine.options(), "plan.json");
  Arenas arenas(schedule, {});
  const SyntheticValues values(schedule.graph, 0);
  ObservingBackend<SyntheticBackend> backend(machine.cpufreq, policy, schedule, arenas, values,
                                             Pace::none);
  RunOptions options = quick_options();
  options.steps = 1;
  run_unjudged(schedule, arenas, power.switching(backend), values, options, false);
  return backend.seen;
}

}  // namespace

TEST_CASE("a state of the whole run is set before it, and put back after it", "[run_power]") {
  const FakeMachine machine;
  const auto seen = seen_in_a_run(in_second_state(Settable::run), machine, 1);
  CHECK(seen == std::vector<std::string>(11, "1600000-1600000"));
  CHECK(machine.cpufreq.range(1) == as_found);
}

TEST_CASE("a state of an action is set where the plan switches", "[run_power]") {
  const FakeMachine machine;
  const auto seen = seen_in_a_run(in_second_state(Settable::action), machine, 0);
  REQUIRE(seen.size() == 11);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    CHECK(seen[i] == (i % 2 == 1 ? "1600000-1600000" : as_found));
  }
}

TEST_CASE("a worker sets the state of its own processor alone", "[run_power]") {
  const FakeMachine machine;
  machine.cpufreq.set("policy0/related_cpus", "60000 60001");
  machine.cpufreq.set("policy1/related_cpus",
                      "60002 " + std::to_string(Cores::here().processor(0)));
  const Schedule schedule = in_second_state(Settable::action, StateScope::worker);
  CHECK(seen_in_a_run(schedule, machine, 0) == std::vector<std::string>(11, as_found));
  const auto seen = seen_in_a_run(schedule, machine, 1);
  CHECK(seen.at(0) == as_found);
  CHECK(seen.at(1) == "1600000-1600000");
}

TEST_CASE("a plan in first states needs nothing to be set", "[run_power]") {
  RunPowerOptions options{.set = true, .places = {"no-cpufreq", "no-powercap", "no-library"}};
  const Schedule schedule = chain_kept_whole();
  RunPower power(schedule, options, "plan.json");
  CHECK(&power.schedule() == &schedule);
}

TEST_CASE("a plan whose states cannot be set is refused, or predicted again without them",
          "[run_power]") {
  RunPowerOptions options{.set = true, .places = {"no-cpufreq", "no-powercap", "no-library"}};
  const Schedule schedule = in_second_state(Settable::run);
  CHECK_THROWS_WITH(
      RunPower(schedule, options, "plan.json"),
      Contains("plan.json: its power states cannot be set: no-cpufreq has no policy") &&
          Contains("expected --allow-degraded"));
  options.allow_degraded = true;
  RunPower power(schedule, options, "plan.json");
  RunReport report;
  power.finish(report);
  CHECK_THAT(report.degraded.value(), Contains("no-cpufreq"));
  CHECK(power.schedule().predicted.seconds == Approx(chain_kept_whole().predicted.seconds));
  CHECK(power.schedule().predicted.seconds < schedule.predicted.seconds);
  CHECK_THAT(summary(report), Contains("without the plan's power states"));
  CHECK(parse_run_report(run_report_text(report), "report").degraded == report.degraded);
}

TEST_CASE("a state that was lost during a run makes the sample invalid", "[run_power]") {
  const FakeMachine machine;
  const Schedule schedule = in_second_state(Settable::run);
  RunPower power(schedule, machine.options(), "plan.json");
  machine.cpufreq.set("policy0/scaling_max_freq", "800000");
  RunReport report;
  power.finish(report);
  REQUIRE(report.notes.size() == 1);
  CHECK_THAT(report.notes[0], Contains("invalid") && Contains("reads 800000"));
  CHECK(machine.cpufreq.range(0) == as_found);
}

TEST_CASE("processors of two kinds are not set to states of one", "[run_power]") {
  const FakeMachine machine;
  Schedule schedule = in_second_state(Settable::run);
  schedule.platform.devices.push_back(schedule.platform.devices[0]);
  schedule.platform.devices.back().name = "other";
  CHECK_THROWS_WITH(RunPower(schedule, machine.options(), "plan.json"),
                    Contains("several devices"));
  schedule.platform.devices.pop_back();
  schedule.platform.devices[0].kind = "tpu";
  CHECK_THROWS_WITH(RunPower(schedule, machine.options(), "plan.json"), Contains("kind tpu"));
}
