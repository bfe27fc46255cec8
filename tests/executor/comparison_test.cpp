// What a report compares, and what is learned from it.
#include "executor/comparison.hpp"

#include <catch2/catch.hpp>

#include "schedules/learned_times.hpp"
#include "tests/executor/replays.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/schedule_builder.hpp"
#include "tests/support/small_schedules.hpp"
#include "tests/support/training_step.hpp"

using namespace stint;

namespace {

double measured_by_classes(const RunReport& report) {
  double joules = 0;
  for (const BillLine& line : report.bills.at(0).lines) {
    if (line.actions > 0) joules += line.measured.joules;
  }
  return joules;
}

}  // namespace

TEST_CASE("the bill of a run adds up to its joules, and its actions to its classes",
          "[comparison]") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    const Schedule schedule = random_plan(seed);
    const RunReport report = replay(schedule);
    REQUIRE(report.bills.size() == 1);
    const EnergyBill& bill = report.bills[0];
    CHECK(bill.part == "all");
    CHECK(bill.total.predicted.joules == Approx(report.predicted.joules).epsilon(1e-9));
    CHECK(bill.total.measured.joules == Approx(report.measured.joules).epsilon(1e-9));
    CHECK(report.measured_joules_by.total() == Approx(report.measured.joules).epsilon(1e-9));
    double joules = 0;
    for (const RunAction& action : report.actions) joules += action.measured_joules;
    CHECK(measured_by_classes(report) == Approx(joules).epsilon(1e-9));
  }
}

TEST_CASE("planning with what was measured predicts what was measured", "[comparison]") {
  const RunReport report = replay(chain_kept_whole());
  Model model = chain_kept_whole().model;
  Platform platform = course_machine();
  learn_times(report, "report.json", model, platform);
  const Schedule again = plan_of(model, platform);
  double seconds = 0;
  for (const RunAction& action : report.actions) seconds += action.measured_seconds;
  CHECK(again.predicted.seconds == Approx(seconds).epsilon(1e-9));
  CHECK(again.predicted.joules_by.compute ==
        Approx(report.measured_joules_by.compute).epsilon(1e-9));
}

// Every task is 124 bytes ago when it comes again, in a cache of 100. Its op's model charges more
// for that than times that were measured are charged.
TEST_CASE("what was measured holds no traffic that is charged again", "[comparison]") {
  ScheduleBuilder builder(R"({"format": "stint-tasks", "version": 1, "name": "old",
    "tensors": [{"name": "y", "bytes": 64}, {"name": "z", "bytes": 60}],
    "tasks": [{"name": "A", "op": "made", "flops": 1, "writes": ["y"]},
              {"name": "B", "op": "made", "flops": 1, "writes": ["z"]}],
    "results": []})",
                          platform_text(course_machine(1)));
  Device& cpu = builder.schedule().platform.devices.front();
  cpu.caches = {{.level = 1, .bytes = 100, .shared_by = 1}};
  cpu.time_model = {{"*", {.terms = {{"flops", 1e-3}, {"level1_bytes", 2e-5}}}},
                    {"cache", {.terms = {{"level1", 1e-12}}}}};
  builder.compute("A", "n0/cpu/0", {}, {builder.buffer("y", "n0/ram", 0)});
  builder.compute("B", "n0/cpu/0", {}, {builder.buffer("z", "n0/ram", 64)});
  const Schedule schedule = builder.finish();
  CHECK(simulate(schedule).seconds.at(0) == Approx(1e-3 + 64 * 2e-5));
  const RunReport report = replay(schedule);
  Schedule again = schedule;
  Model model = schedule.graph;
  learn_times(report, "report.json", model, again.platform);
  again.graph = std::get<Graph>(model);
  const Simulation learned = simulate(again);
  for (const std::size_t i : {0, 1})
    CHECK(learned.seconds.at(i) == Approx(report.actions.at(i).measured_seconds).epsilon(1e-9));
}

TEST_CASE("times of tasks are those at speed 1, their executions taken together", "[comparison]") {
  Schedule schedule = chain_recomputed();
  schedule.platform.devices[0].states[0].speed = 4;
  for (Action& action : schedule.actions) {
    action.start_seconds = action.seconds = action.joules = std::nullopt;
  }
  predict_again(schedule);
  const RunReport report = replay(schedule);
  REQUIRE(report.tasks.size() == 11);
  CHECK(report.tasks[2].task == "F2");
  CHECK(report.tasks[2].device == "n0/cpu");
  CHECK(report.tasks[2].executions == 2);
  CHECK(report.tasks[2].seconds ==
        Approx(2 * (report.actions[2].measured_seconds + report.actions[7].measured_seconds)));
  CHECK(report.ledger.size() == 2);
}

TEST_CASE("an error on the critical path is one of the whole step", "[comparison]") {
  const RunReport report = replay(chain_offloaded());
  for (const RunAction& action : report.actions) {
    const double late = action.measured_seconds - action.predicted_seconds;
    const bool is_copy = action.action_class == "copy";  // beside the path, and paid by the byte
    CHECK(action.error_joules == Approx(is_copy ? 0 : 35 * late).margin(1e-9));
  }
  CHECK_THAT(summary(report), Catch::Contains("furthest off") && Catch::Contains("n0/cpu/0"));
}
