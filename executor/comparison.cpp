#include "executor/comparison.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "schedules/cache_traffic.hpp"
#include "schedules/critical_path.hpp"
#include "schedules/describe.hpp"
#include "schedules/handed_bytes.hpp"
#include "schedules/marginal_joules.hpp"

namespace stint {
namespace {

EnergyBill bill_at(const std::string& part, const Schedule& schedule, const Platform& prices,
                   const Measurements& measurements, const RunReport& report) {
  Schedule priced = schedule;
  priced.platform = prices;
  return energy_bill(part, priced, measurements.at_prices(prices, report.actions));
}

// With counters: what they see, up to what they say; and what they do not see, modelled.
std::vector<EnergyBill> bills(const Schedule& schedule, const Measurements& measurements,
                              const RunMeter& meter, const RunReport& report) {
  if (!report.energy.measured)
    return {bill_at("all", schedule, schedule.platform, measurements, report)};
  const PlatformParts parts = meter.parts().value();
  std::vector<EnergyBill> both = {
      bill_at("covered", schedule, parts.covered, measurements, report),
      bill_at("uncovered", schedule, parts.uncovered, measurements, report)};
  add_unexplained(both[0], report.measured.joules);
  return both;
}

void name_actions(const Schedule& schedule, const Simulation& simulation,
                  const std::vector<Worker>& workers, RunReport& report) {
  const std::vector<std::string> class_of = action_classes(schedule);
  const MarginalJoules joules(schedule, workers, lanes(schedule, static_cast<int>(workers.size())));
  for (std::size_t i = 0; i < report.actions.size(); ++i) {
    const Action& action = schedule.actions[i];
    RunAction& row = report.actions[i];
    row.action_class = class_of[i];
    row.name = label(schedule, action);
    row.worker = workers[action.worker].name;
    row.predicted_joules = simulation.joules[i];
    row.measured_joules = joules(static_cast<ActionId>(i), row.measured_seconds);
    row.error_joules = row.measured_joules - row.predicted_joules;
  }
}

// There, an error is one of the whole step.
void add_errors_of_the_critical_path(const Schedule& schedule, const Simulation& simulation,
                                     const std::vector<Worker>& workers, RunReport& report) {
  const Lanes lists = lanes(schedule, static_cast<int>(workers.size()));
  const double watts = watts_of_a_longer_step(schedule);
  for (const ActionId id : critical_path(schedule, workers, lists, simulation)) {
    RunAction& row = report.actions[id];
    row.error_joules += watts * (row.measured_seconds - row.predicted_seconds);
  }
}

// What will be added, in a plan with measured times, to those of an action: at speed 1, for bytes
// that are in no cache or in another's.
std::vector<double> seconds_beside(const Schedule& schedule, const std::vector<Worker>& workers) {
  const Order in_order = order(schedule, static_cast<int>(workers.size()));
  std::vector<double> beside(schedule.actions.size(), 0);
  for (const auto& seconds : {cache_seconds_if_stated(schedule, workers, in_order.lanes),
                              handed_over_seconds(schedule, workers, in_order)}) {
    for (std::size_t i = 0; i < seconds.size(); ++i) beside[i] += seconds[i];
  }
  return beside;
}

// Of what an execution took, the task's own at speed 1, so that the same plan is predicted to take
// what it took.
double own_seconds(const Device& device, const Action& action, double measured_seconds,
                   double beside_seconds) {
  const double seconds = measured_seconds * device.states[std::max(0, action.state)].speed;
  return std::max(seconds - beside_seconds, least_own_share * seconds);
}

std::vector<MeasuredTask> measured_tasks(const Schedule& schedule,
                                         const std::vector<Worker>& workers,
                                         const std::vector<RunAction>& rows) {
  const Platform& platform = schedule.platform;
  const std::vector<double> beside = seconds_beside(schedule, workers);
  std::map<std::pair<TaskId, int>, MeasuredTask> tasks;  // by task and device
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Action& action = schedule.actions[i];
    if (action.what != Do::compute) continue;
    const DeviceId device{workers[action.worker].device};
    const Task& task = schedule.graph.tasks[action.task];
    MeasuredTask& measured = tasks[{action.task, device}];
    measured.task = task.name;
    measured.device = device_name(platform, device);
    measured.op = task.op;
    measured.shape = task.shape;
    measured.seconds +=
        own_seconds(platform.devices[device], action, rows[i].measured_seconds, beside[i]);
    ++measured.executions;
  }
  std::vector<MeasuredTask> list;
  for (auto& [key, task] : tasks) {
    task.seconds /= static_cast<double>(task.executions);
    list.push_back(std::move(task));
  }
  return list;
}

}  // namespace

void compare(const Schedule& schedule, const Simulation& simulation,
             const Measurements& measurements, const RunMeter& meter, RunReport& report) {
  if (report.actions.size() != schedule.actions.size()) return;  // no step was measured
  const std::vector<Worker> all_workers = workers(schedule.platform);
  name_actions(schedule, simulation, all_workers, report);
  add_errors_of_the_critical_path(schedule, simulation, all_workers, report);
  report.bills = bills(schedule, measurements, meter, report);
  std::vector<double> seconds;
  for (const RunAction& row : report.actions) seconds.push_back(row.measured_seconds);
  report.ledger = checkpoint_ledger(schedule, simulation, seconds);
  report.tasks = measured_tasks(schedule, all_workers, report.actions);
}

}  // namespace stint
