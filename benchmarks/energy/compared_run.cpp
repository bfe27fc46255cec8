#include "benchmarks/energy/compared_run.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "executor/run.hpp"
#include "planner/plan.hpp"

namespace stint {
namespace {

const std::atomic<bool> never{false};

// That compute, or load the next batch.
std::int64_t busy_workers(const Schedule& schedule) {
  std::set<int> workers;
  for (const Action& action : schedule.actions) {
    if (action.what != Do::copy) workers.insert(action.worker);
  }
  return std::ssize(workers);
}

// What making the next batch of samples drew, which is no part of a plan.
double joules_of_loads(const RunReport& report) {
  double joules = 0;
  for (const BillLine& line : report.bills.front().lines) {
    if (line.name == "load") joules += line.measured.joules;
  }
  return joules;
}

}  // namespace

Spent ComparedRun::mean() const {
  Spent sum;
  for (const Spent& one : measured) {
    sum.seconds += one.seconds / static_cast<double>(measured.size());
    sum.joules += one.joules / static_cast<double>(measured.size());
    sum.watts += one.watts / static_cast<double>(measured.size());
  }
  return sum;
}

ComparedRun planned_run(const std::string& name, const Model& model, std::int64_t batch,
                        const Platform& platform, const std::string& basis) {
  Request request;
  request.batch = batch;
  const Outcome outcome = plan(make_problem(model, platform, request, name), {});
  if (!outcome.schedule) throw std::runtime_error(name + ": no plan");
  return {.name = name,
          .basis = basis,
          .workers = busy_workers(*outcome.schedule),
          .schedule = *outcome.schedule};
}

void run_again(const MeterPlaces& places, std::int64_t steps, ComparedRun& compared) {
  RunOptions options{.file = compared.name, .steps = steps, .warmup_steps = 2};
  options.meter = {.kind = MeterKind::powercap, .places = places, .required = true};
  const RunReport report = run(compared.schedule, options, never);
  const MeasuredEnergy& energy = report.energy.measured.value();
  const double joules = energy.predicted_covered.total();
  const double measured = report.measured.joules - joules_of_loads(report);
  compared.predicted = {report.predicted.seconds, joules, joules / report.predicted.seconds};
  compared.measured.push_back({report.measured.seconds, measured, measured / energy.seconds});
}

double error_of(const ComparedRun& run, double (*quantity)(const Spent&)) {
  const double measured = quantity(run.mean());
  return (quantity(run.predicted) - measured) / measured;
}

double floor_of(const ComparedRun& run, double (*quantity)(const Spent&)) {
  const auto [least, most] = std::minmax_element(
      run.measured.begin(), run.measured.end(),
      [&](const Spent& a, const Spent& b) { return quantity(a) < quantity(b); });
  return (quantity(*most) - quantity(*least)) / quantity(run.mean());
}

}  // namespace stint
