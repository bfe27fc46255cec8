// A run whose energy comes from counters: of a fake tree that draws power while it runs.
#include "executor/run_meter.hpp"

#include <catch2/catch.hpp>

#include "executor/synthetic_data.hpp"
#include "files/input_error.hpp"
#include "schedules/simulate.hpp"
#include "tests/executor/replays.hpp"
#include "tests/support/fake_powercap.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/small_schedules.hpp"

using namespace stint;

namespace {

// Steps of eleven milliseconds.
Schedule short_chain() {
  Schedule schedule = chain_kept_whole();
  for (Device& device : schedule.platform.devices) device.states[0].speed = 1000;
  for (Action& action : schedule.actions) {
    action.start_seconds = action.seconds = action.joules = std::nullopt;
  }
  const Simulation simulation = simulate(schedule);
  schedule.predicted = predict(schedule, simulation);
  return schedule;
}

RunReport metered(const Schedule& schedule, const MeterOptions& meter) {
  RunOptions options{.steps = 10, .warmup_steps = 0, .meter = meter};
  Arenas arenas(schedule, {});
  const SyntheticValues values(schedule.graph, 0);
  SyntheticBackend backend(schedule, arenas, values, Pace::predicted);
  return run_unjudged(schedule, arenas, backend, values, options, false).report;
}

MeterOptions reading(const FakePowercap& tree) {
  return {.kind = MeterKind::powercap, .places = {.powercap = tree.root()}};
}

}  // namespace

TEST_CASE("joules of a run are those of its counters over its steps", "[run_meter]") {
  FakePowercap tree;
  tree.add_zone("intel-rapl:0", "package-0", 262'143'328'850, 262'143'000'000);  // turns in 0.3 J
  tree.add_zone("intel-rapl:0:0", "dram");
  const DrawingPower power(tree, {{"intel-rapl:0", 60}, {"intel-rapl:0:0", 3}});
  const Schedule schedule = short_chain();
  const RunReport report = metered(schedule, reading(tree));
  REQUIRE(report.energy.measured);
  const MeasuredEnergy& measured = *report.energy.measured;
  CHECK(report.energy.basis == "measured:fake");
  CHECK(report.energy.domains == std::vector<std::string>{"package-0", "dram"});
  CHECK_FALSE(report.energy.why_not_better);
  REQUIRE(measured.domains.size() == 2);
  // Each end of a step is uncertain by as long as the tree was not brought up to date.
  CHECK(measured.domains[0].joules / measured.seconds == Approx(60).epsilon(0.5));
  CHECK(measured.domains[0].compared);
  CHECK_FALSE(measured.domains[1].compared);  // the machine's memory has no price
  CHECK(report.measured.joules == measured.domains[0].joules);
  CHECK(measured.predicted_covered.total() + measured.predicted_uncovered.total() ==
        Approx(report.predicted.joules).epsilon(1e-9));
  CHECK(measured.predicted_uncovered.total() == Approx(20 * report.predicted.seconds));
  CHECK(report.error_joules().value() ==
        Approx(report.measured.joules / measured.predicted_covered.total() - 1));
}

TEST_CASE("a report of counters is read as it was written, and conforms to its schema",
          "[run_meter]") {
  FakePowercap tree;
  tree.add_zone("intel-rapl:0", "package-0");
  const DrawingPower power(tree, {{"intel-rapl:0", 60}});
  const RunReport report = metered(short_chain(), reading(tree));
  const std::string text = run_report_text(report);
  CHECK(run_report_text(parse_run_report(text, "report.json")) == text);
  CHECK(schema_fault(bundled("schedules/stint-run.schema.json"), text) == "");
  CHECK_THAT(summary(report),
             Catch::Contains("measured:fake, package-0") && Catch::Contains("energy not measured"));
}

TEST_CASE("a counter that stands still after probing leaves the model, and the reason",
          "[run_meter]") {
  FakePowercap tree;
  tree.add_zone("intel-rapl:0", "package-0");
  std::optional<DrawingPower> power;
  power.emplace(tree, std::map<std::string, double>{{"intel-rapl:0", 60}});
  const Schedule schedule = short_chain();
  const RunMeter meter(schedule, reading(tree));
  power.reset();
  meter.counters()->begin_window();
  meter.counters()->end_window();
  RunReport report;
  report.energy.basis = "modelled:assumed";
  meter.report(report);
  CHECK(report.energy.basis == "modelled:assumed");
  CHECK_THAT(report.energy.why_not_better.value(), Catch::StartsWith("package-0: did not move in"));
  CHECK_FALSE(report.energy.measured);
}

TEST_CASE("without a counter the model stands, unless one is asked for", "[run_meter]") {
  const MeterPlaces nowhere{"no-tree", "no-events", "no-library"};
  const Schedule schedule = short_chain();
  CHECK_FALSE(RunMeter(schedule, {MeterKind::automatic, nowhere}).counters());
  CHECK_THROWS_AS(RunMeter(schedule, {MeterKind::powercap, nowhere}), InputError);
  CHECK_THROWS_AS(RunMeter(schedule, {MeterKind::automatic, nowhere, true}), NotMeasured);
  CHECK_THROWS_AS(RunMeter(schedule, {MeterKind::model, nowhere, true}), NotMeasured);
}
