#include "schedules/energy_bill.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "tests/support/random_plan.hpp"
#include "tests/support/schedule_builder.hpp"
#include "tests/support/small_schedules.hpp"

using namespace stint;

namespace {

// Each action and each shared term off by a random factor.
MeasuredStepTimes random_times(const Schedule& schedule, std::uint64_t seed) {
  const Simulation simulation = simulate(schedule);
  std::mt19937_64 random(seed);
  const auto factor = [&] { return static_cast<double>(random() % 1000) / 500; };
  MeasuredStepTimes times{.seconds = simulation.makespan_seconds * factor()};
  for (const double seconds : simulation.seconds)
    times.action_seconds.push_back(seconds * factor());
  times.shared = simulation.joules_by;
  times.shared.idle *= factor();
  times.shared.wait *= factor();
  return times;
}

const BillLine& line_of(const EnergyBill& bill, const std::string& name) {
  for (const BillLine& line : bill.lines) {
    if (line.name == name) return line;
  }
  FAIL("no line " << name);
  return bill.total;
}

// Two ops whose models are uncertain, one after the other on one worker.
Schedule uncertain_step() {
  ScheduleBuilder builder(
      R"({"format": "stint-tasks", "version": 1, "name": "ops",
          "tensors": [{"name": "x", "bytes": 1}, {"name": "y", "bytes": 1}, {"name": "z", "bytes": 1}],
          "tasks": [{"name": "A1", "phase": "forward", "reads": [], "writes": ["x"], "op": "a", "flops": 1},
                    {"name": "A2", "phase": "forward", "reads": ["x"], "writes": ["y"], "op": "a", "flops": 2},
                    {"name": "B", "phase": "forward", "reads": ["y"], "writes": ["z"], "op": "b", "flops": 4}],
          "results": []})",
      R"({"format": "stint-platform", "version": 1, "name": "one",
          "nodes": [{"name": "n0", "base_watts": 10,
            "memories": [{"name": "ram", "bytes": 100}],
            "devices": [{"name": "cpu", "kind": "cpu", "memory": "ram", "workers": 1,
              "states": [{"name": "s", "speed": 1.0, "busy_watts": 5}],
              "time_model": {"a": {"terms": {"flops": 1}, "sigma": 0.1},
                             "b": {"terms": {"flops": 1}, "sigma": 0.2}}}]}]})");
  const BufferId x = builder.buffer("x", "n0/ram", 0);
  const BufferId y = builder.buffer("y", "n0/ram", 1);
  const BufferId z = builder.buffer("z", "n0/ram", 2);
  builder.compute("A1", "n0/cpu/0", {}, {x});
  builder.compute("A2", "n0/cpu/0", {x}, {y});
  builder.compute("B", "n0/cpu/0", {y}, {z});
  return builder.finish();
}

MeasuredStepTimes as_predicted(const Schedule& schedule) {
  const Simulation simulation = simulate(schedule);
  return {simulation.makespan_seconds, simulation.seconds, simulation.joules_by};
}

}  // namespace

TEST_CASE("lines of a bill add up to its total, which is what the simulator predicts",
          "[energy_bill]") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const Schedule schedule = random_plan(seed);
    const MeasuredStepTimes times = random_times(schedule, seed);
    const EnergyBill bill = energy_bill("all", schedule, times);
    SecondsAndJoules predicted;
    SecondsAndJoules measured;
    std::int64_t actions = 0;
    for (const BillLine& line : bill.lines) {
      predicted.joules += line.predicted.joules;
      measured.joules += line.measured.joules;
      actions += line.actions;
    }
    const Simulation simulation = simulate(schedule);
    CHECK(predicted.joules == Approx(simulation.joules_by.total()).epsilon(1e-9));
    CHECK(bill.total.predicted.joules == Approx(predicted.joules).epsilon(1e-9));
    CHECK(bill.total.measured.joules == Approx(measured.joules).epsilon(1e-9));
    CHECK(bill.total.predicted.seconds == simulation.makespan_seconds);
    CHECK(actions == std::ssize(schedule.actions));
  }
}

TEST_CASE("times as predicted have no error on any line", "[energy_bill]") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    CAPTURE(seed);
    const Schedule schedule = random_plan(seed);
    const EnergyBill bill = energy_bill("all", schedule, as_predicted(schedule));
    for (const BillLine& line : bill.lines) {
      CHECK(line.measured.joules == Approx(line.predicted.joules).epsilon(1e-9));
      CHECK(line.error_watts().value_or(0) == Approx(0).margin(1e-9));
    }
  }
}

TEST_CASE("errors of time and power make that of energy", "[energy_bill]") {
  const BillLine line{.name = "forward", .actions = 1, .predicted = {2, 20}, .measured = {3, 24}};
  CHECK(line.error_seconds().value() == Approx(0.5));
  CHECK(line.error_watts().value() == Approx(-0.2));
  CHECK(line.error_joules().value() == Approx(1.5 * 0.8 - 1));
  CHECK_FALSE(BillLine{}.error_joules());
  CHECK_FALSE(BillLine{}.error_watts());
}

TEST_CASE("actions stand on the line of their phase, or of recomputation", "[energy_bill]") {
  const Schedule schedule = chain_recomputed();
  const EnergyBill bill = energy_bill("all", schedule, as_predicted(schedule));
  CHECK(line_of(bill, "forward").actions == 5);
  CHECK(line_of(bill, "forward").predicted.joules == Approx(35));
  CHECK(line_of(bill, "backward").predicted.seconds == Approx(6));
  CHECK(line_of(bill, "recompute").actions == 2);
  CHECK(line_of(bill, "base").predicted.watts().value() == Approx(20));
  CHECK(bill.total.predicted.joules == Approx(455));
}

TEST_CASE("errors of one time model add up, those of two are independent", "[energy_bill]") {
  const Schedule schedule = uncertain_step();
  const EnergyBill bill = energy_bill("all", schedule, as_predicted(schedule));
  const double sigma_seconds = std::hypot(0.1 * (1 + 2), 0.2 * 4);
  CHECK(line_of(bill, "forward").sigma.seconds == Approx(sigma_seconds));
  CHECK(line_of(bill, "forward").sigma.joules == Approx(5 * sigma_seconds));
  CHECK(line_of(bill, "base").sigma.joules == Approx(10 * sigma_seconds));
  CHECK(bill.total.sigma.seconds == Approx(sigma_seconds));
  CHECK(bill.total.sigma.joules == Approx(15 * sigma_seconds));
  CHECK(
      energy_bill("all", chain_kept_whole(), as_predicted(chain_kept_whole())).total.sigma.joules ==
      0);
}

TEST_CASE("what counters say beyond the prices is a line of its own", "[energy_bill]") {
  const Schedule schedule = chain_kept_whole();
  EnergyBill bill = energy_bill("covered", schedule, as_predicted(schedule));
  add_unexplained(bill, 400);
  CHECK(bill.lines.back().name == "unexplained");
  CHECK(bill.lines.back().measured.joules == Approx(15));
  CHECK(bill.total.measured.joules == 400);
  CHECK_THAT(bill_table(bill), Catch::Contains("unexplained") && Catch::Contains("covered"));
}
