// A run whose energy comes from counters: of a fake tree, from which its tasks draw.
#include "executor/run_meter.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "executor/run.hpp"
#include "executor/synthetic_data.hpp"
#include "files/input_error.hpp"
#include "tests/support/fake_powercap.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/small_schedules.hpp"

using namespace stint;

namespace {

constexpr double joules_of_a_task = 0.5;

// Tasks that draw from the tree while they run, and nothing else does.
class DrawingBackend : public SyntheticBackend {
 public:
  DrawingBackend(const Schedule& schedule, Arenas& arenas, const TensorValues& values,
                 FakePowercap& tree)
      : SyntheticBackend(schedule, arenas, values, Pace::none), tree_(tree) {}

  std::unique_ptr<Job> compute(const Action& action, const Operands& operands,
                               double seconds) override {
    return std::make_unique<DrawingJob>(SyntheticBackend::compute(action, operands, seconds),
                                        tree_);
  }

 private:
  struct DrawingJob : Job {
    DrawingJob(std::unique_ptr<Job> inner, FakePowercap& from)
        : job(std::move(inner)), tree(from) {}
    void run(std::int64_t step) override {
      tree.consume("intel-rapl:0", joules_of_a_task);
      tree.consume("intel-rapl:0:0", joules_of_a_task / 10);
      job->run(step);
    }
    std::unique_ptr<Job> job;
    FakePowercap& tree;
  };
  FakePowercap& tree_;
};

// One package about to begin anew, and its dram.
struct MeteredMachine {
  FakePowercap tree;
  MeteredMachine() {
    tree.add_zone("intel-rapl:0", "package-0", 262'143'328'850, 262'143'000'000);  // in 0.3 J
    tree.add_zone("intel-rapl:0:0", "dram");
  }
  MeterOptions meter() {
    Probing probing;
    probing.work = [this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      tree.consume("intel-rapl:0", 0.1);
      tree.consume("intel-rapl:0:0", 0.1);
    };
    return {.kind = MeterKind::powercap, .places = {.powercap = tree.root()}, .probing = probing};
  }
  RunReport run(const Schedule& schedule) {
    const RunOptions options{.steps = 10, .warmup_steps = 2, .meter = meter()};
    Arenas arenas(schedule, {});
    const SyntheticValues values(schedule.graph, 0);
    DrawingBackend backend(schedule, arenas, values, tree);
    return run_unjudged(schedule, arenas, backend, values, options, false).report;
  }
};

}  // namespace

TEST_CASE("joules of a run are those of its counters over its steps", "[run_meter]") {
  MeteredMachine machine;
  const RunReport report = machine.run(chain_kept_whole());
  REQUIRE(report.energy.measured);
  const MeasuredEnergy& measured = *report.energy.measured;
  CHECK(report.energy.basis == "measured:fake");
  CHECK(report.energy.domains == std::vector<std::string>{"package-0", "dram"});
  CHECK_FALSE(report.energy.why_not_better);
  REQUIRE(measured.domains.size() == 2);
  CHECK(measured.domains[0].joules == Approx(11 * joules_of_a_task).epsilon(1e-6));
  CHECK(measured.domains[1].joules == Approx(1.1 * joules_of_a_task).epsilon(1e-6));
  CHECK(measured.seconds > 0);
  CHECK(measured.domains[0].compared);
  CHECK_FALSE(measured.domains[1].compared);  // the machine's memory has no price
}

TEST_CASE("what counters see is compared with that part of the prediction", "[run_meter]") {
  MeteredMachine machine;
  const RunReport report = machine.run(chain_kept_whole());
  const MeasuredEnergy& measured = report.energy.measured.value();
  CHECK(report.measured.joules == measured.domains[0].joules);
  CHECK(measured.predicted_covered.total() == Approx(11 * 15.0));    // a processor at work
  CHECK(measured.predicted_uncovered.total() == Approx(11 * 20.0));  // the board
  CHECK(measured.predicted_covered.total() + measured.predicted_uncovered.total() ==
        Approx(report.predicted.joules).epsilon(1e-9));
  CHECK(report.error_joules().value() == Approx(report.measured.joules / (11 * 15.0) - 1));
}

TEST_CASE("what counters see and what they do not have bills of their own", "[run_meter]") {
  MeteredMachine machine;
  const RunReport report = machine.run(chain_kept_whole());
  REQUIRE(report.bills.size() == 2);
  const EnergyBill& covered = report.bills[0];
  const EnergyBill& uncovered = report.bills[1];
  CHECK(covered.part == "covered");
  CHECK(uncovered.part == "uncovered");
  CHECK(covered.total.predicted.joules == Approx(11 * 15.0).epsilon(1e-9));
  CHECK(uncovered.total.predicted.joules == Approx(11 * 20.0).epsilon(1e-9));
  CHECK(covered.lines.back().name == "unexplained");
  double measured = 0;
  for (const BillLine& line : covered.lines) measured += line.measured.joules;
  CHECK(measured == Approx(report.measured.joules).epsilon(1e-9));
  CHECK(covered.total.measured.joules == report.measured.joules);
  CHECK(uncovered.total.measured.joules ==
        Approx(20 * report.measured.seconds).epsilon(1e-9));  // modelled
}

TEST_CASE("a report of counters is read as it was written, and conforms to its schema",
          "[run_meter]") {
  MeteredMachine machine;
  const RunReport report = machine.run(chain_kept_whole());
  const std::string text = run_report_text(report);
  CHECK(run_report_text(parse_run_report(text, "report.json")) == text);
  CHECK(schema_fault(bundled("schedules/stint-run.schema.json"), text) == "");
  CHECK_THAT(summary(report),
             Catch::Contains("measured:fake, package-0") && Catch::Contains("energy not measured"));
}

TEST_CASE("a counter that stands still after probing leaves the model, and the reason",
          "[run_meter]") {
  MeteredMachine machine;
  const Schedule schedule = chain_kept_whole();
  const RunMeter meter(schedule, machine.meter());
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
  const Schedule schedule = chain_kept_whole();
  CHECK_FALSE(RunMeter(schedule, {MeterKind::automatic, nowhere}).counters());
  CHECK_THROWS_AS(RunMeter(schedule, {MeterKind::powercap, nowhere}), InputError);
  CHECK_THROWS_AS(RunMeter(schedule, {MeterKind::automatic, nowhere, true}), NotMeasured);
  CHECK_THROWS_AS(RunMeter(schedule, {MeterKind::model, nowhere, true}), NotMeasured);
}
