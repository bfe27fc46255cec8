// From a counter to a bill: a machine whose counter draws known watts is calibrated, planned for
// and run on, and every joule is held against what was drawn. Speed decides nothing here: joules
// follow from the times that were measured, whatever they were.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "executor/calibrate/calibrate.hpp"
#include "executor/run.hpp"
#include "models/model.hpp"
#include "planner/plan.hpp"
#include "platforms/cores.hpp"
#include "schedules/waiting.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/work_counter.hpp"

using namespace stint;

namespace {

const std::atomic<bool> never{false};
constexpr DrawnWatts watts{.idle = 10, .busy = 5};
constexpr double exact = 1e-3;

MeterPlaces places(const WorkCounter& counter) {
  return {.powercap = WorkCounter::root, .perf = "none", .nvml = "none", .files = &counter};
}

Platform calibrated_once(const WorkCounter& counter) {
  CalibrateOptions options{.quick = true, .meters = places(counter)};
  options.design = {.networks = 4, .most_flops = 1e6, .most_bytes = 1 << 18};
  options.power_window_seconds = 0.15;
  const Calibration found = calibrate(options, never);
  REQUIRE(found.power_basis == "measured:fake");
  return found.platform;
}

// What a worker adds while it is the only one that is busy.
std::vector<double> lone_busy_watts(const Device& device) {
  std::vector<double> all;
  for (const auto& [name, busy] : device.states.front().busy_watts_by_class)
    all.push_back(busy + device.active_watts);
  return all;
}

bool is_exact(const Device& device) {
  const auto busy = lone_busy_watts(device);
  return device.idle_watts.value == Approx(watts.idle).epsilon(exact / 2) &&
         device.wait_watts.value == Approx(watts.busy).epsilon(exact / 2) &&
         std::all_of(busy.begin(), busy.end(),
                     [](double one) { return one == Approx(watts.busy).epsilon(exact / 2); });
}

// A machine that stops a program between looking at a counter and looking at the clock spoils a
// window; not all of them, again and again.
Platform calibrated(const WorkCounter& counter) {
  Platform platform = calibrated_once(counter);
  for (int i = 0; i < 20 && !is_exact(platform.devices.front()); ++i)
    platform = calibrated_once(counter);
  platform.devices.resize(1);
  platform.devices.front().workers = 1;
  return platform;
}

Schedule planned(const std::string& name, std::int64_t batch, const Platform& platform,
                 Objective objective = Objective::energy) {
  const Model model = read_model(bundled("models/" + name + ".json"));
  Request request;
  request.batch = batch;
  request.objective = objective;
  const Outcome outcome = plan(make_problem(model, platform, request, name), {});
  REQUIRE(outcome.schedule.has_value());
  return *outcome.schedule;
}

RunReport one_step(const Schedule& schedule, const WorkCounter& counter) {
  RunOptions options{.steps = 1};
  options.meter = {.kind = MeterKind::powercap, .places = places(counter), .required = true};
  return run(schedule, options, never);
}

double busy_seconds(const RunReport& report) {
  double sum = 0;
  for (const RunAction& action : report.actions) sum += action.measured_seconds;
  return sum;
}

// Between actions of a worker, and around them, for which the plan has it spin.
double waited_seconds(const Schedule& schedule, const RunReport& report) {
  std::map<WorkerId, std::vector<ActionId>> lists;
  for (std::size_t i = 0; i < report.actions.size(); ++i)
    lists[schedule.actions[i].worker].push_back(static_cast<ActionId>(i));
  double sum = 0;
  for (const auto& [worker, list] : lists) {
    double free_since = 0;
    for (const ActionId i : list) {
      const RunAction& action = report.actions[i];
      if (schedule.actions[i].wait == Wait::spin) sum += action.start_seconds - free_since;
      free_since = action.start_seconds + action.measured_seconds;
    }
    if (wait_between_steps(schedule, list) == Wait::spin)
      sum += report.measured.seconds - free_since;
  }
  return sum;
}

// At the prices that calibration found.
double billed_joules(const RunReport& report) {
  double sum = 0;
  for (const BillLine& line : report.bills.at(0).lines) {
    if (line.name != "unexplained") sum += line.measured.joules;
  }
  return sum;
}

// The readings between which the step was counted; the meter may have looked in between.
std::optional<std::pair<CountedWork, CountedWork>> window_of(const RunReport& report,
                                                             const WorkCounter& counter) {
  const std::vector<CountedWork> readings = counter.readings();
  const CountedWork& end = readings.back();
  for (auto begin = readings.rbegin() + 1; begin != readings.rbegin() + 5; ++begin) {
    if (std::abs(counter.joules(*begin, end) - report.measured.joules) < 2e-6)
      return std::pair(*begin, end);
  }
  return std::nullopt;
}

// Joules drawn beside the step itself: by looking at the counter, and not drawn while other
// programs had the core.
double disturbance(const RunReport& report, double on_core_seconds, const CountedWork& begin,
                   const CountedWork& end) {
  return watts.idle * std::abs(end.wall_seconds - begin.wall_seconds - report.measured.seconds) +
         watts.busy * std::abs(end.core_seconds - begin.core_seconds - on_core_seconds);
}

// What one step drew, by its bill, by its times and by the counter; how much of it was disturbed.
double checked_step(const Schedule& schedule, const WorkCounter& counter) {
  const RunReport report = one_step(schedule, counter);
  CHECK(report.energy.basis == "measured:fake");
  CHECK(report.bills.at(0).part == "covered");
  CHECK(report.bills.at(0).total.measured.joules == Approx(report.measured.joules));
  const double on_core_seconds = busy_seconds(report) + waited_seconds(schedule, report);
  const double drawn = watts.idle * report.measured.seconds + watts.busy * on_core_seconds;
  CHECK(billed_joules(report) == Approx(drawn).epsilon(exact));
  const auto window = window_of(report, counter);
  REQUIRE(window.has_value());
  const double disturbed = disturbance(report, on_core_seconds, window->first, window->second);
  CHECK(std::abs(report.measured.joules - billed_joules(report)) <= exact * drawn + disturbed);
  return disturbed / drawn;
}

void check_steps(const Schedule& schedule, const WorkCounter& counter) {
  double least_disturbed = 1;
  for (int i = 0; i < 6 && least_disturbed > exact / 2; ++i)
    least_disturbed = std::min(least_disturbed, checked_step(schedule, counter));
  if (least_disturbed > exact / 2) WARN("no step was left alone by other programs");
}

// The counter's own watts: every worker draws them, whatever the others do.
void price_by_counter(Device& device) {
  device.idle_watts = watts.idle;
  device.active_watts = 0.0;
  device.wait_watts = watts.busy;
  device.states.front().busy_watts = watts.busy;
  device.states.front().busy_watts_by_class.clear();
}

std::size_t computing_workers(const Schedule& schedule) {
  std::set<int> workers;
  for (const Action& action : schedule.actions) {
    if (action.what == Do::compute) workers.insert(action.worker);
  }
  return workers.size();
}

}  // namespace

TEST_CASE("joules of a run on a calibrated machine are those that its counter drew", "[energy]") {
  const WorkCounter counter(watts);
  const Platform platform = calibrated(counter);
  CHECK(is_exact(platform.devices.front()));
  for (const auto& [name, batch] : {std::pair("lenet5", 256), {"gpt_tiny", 4}}) {
    CAPTURE(name);
    check_steps(planned(name, batch, platform), counter);
  }
}

TEST_CASE("joules of a run on two workers are those that its counter drew", "[energy]") {
  if (Cores::here().count() < 2) {
    WARN("one core only");
    return;
  }
  const WorkCounter counter(watts, WorkCounter::Threads::several);
  Platform platform = calibrated_once(counter);
  platform.devices.resize(1);
  platform.devices.front().workers = 2;
  price_by_counter(platform.devices.front());
  for (const auto& [name, batch] : {std::pair("lenet5", 256), {"gpt_tiny", 4}}) {
    CAPTURE(name);
    const Schedule schedule = planned(name, batch, platform, Objective::time);
    REQUIRE(computing_workers(schedule) == 2);
    check_steps(schedule, counter);
  }
}

TEST_CASE("the kernels of a network are measured together with watts", "[energy]") {
  const WorkCounter counter(watts);
  const Calibration found = calibrate({.file = bundled("models/lenet5.json"),
                                       .batch = 2,
                                       .meters = places(counter),
                                       .power_window_seconds = 0.05},
                                      never);
  CHECK(found.power_basis == "measured:fake");
  const Device& device = found.platform.devices.front();
  CHECK_FALSE(device.kernels.empty());
  CHECK(device.idle_watts.basis == Basis::measured);
  CHECK(device.states.front().busy_watts.value > 0);
}
