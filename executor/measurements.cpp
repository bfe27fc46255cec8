#include "executor/measurements.hpp"

#include <algorithm>
#include <utility>

#include "executor/median.hpp"
#include "executor/model_meter.hpp"
#include "platforms/names.hpp"

namespace stint {
namespace {

// Times of actions that a run keeps in memory: 16 bytes each. Of a longer run the first steps.
constexpr std::size_t most_times_kept = std::size_t{1} << 23U;

std::size_t steps_kept(std::size_t actions, std::int64_t steps) {
  const std::size_t fit =
      std::max<std::size_t>(1, most_times_kept / std::max<std::size_t>(1, actions));
  return std::min(fit, static_cast<std::size_t>(steps));
}

double median_term(const std::vector<JoulesBy>& steps, double JoulesBy::*term) {
  std::vector<double> values;
  for (const JoulesBy& step : steps) values.push_back(step.*term);
  return median(std::move(values));
}

}  // namespace

Measurements::Measurements(const Schedule& schedule, const Simulation& simulation,
                           std::int64_t steps)
    : schedule_(schedule),
      simulation_(simulation),
      lists_(lanes(schedule, static_cast<int>(workers(schedule.platform).size()))),
      most_kept_(steps_kept(schedule.actions.size(), steps)) {}

void Measurements::add(const StepTimes& times) {
  kept_order_ = kept_order_ && kept_order(schedule_, lists_, times);
  MeasuredStep step = measured_step(times, seconds_per_tick());
  seconds_.push_back(step.seconds);
  if (kept_.size() < most_kept_) kept_.push_back(std::move(step));
}

void Measurements::report(RunReport& report) const {
  if (seconds_.empty()) return;
  report.actions = actions();
  const MeasuredStepTimes step = at_prices(schedule_.platform, report.actions);
  report.replayed_exactly = kept_order_;
  report.energy.basis = model_basis(schedule_.platform);
  report.measured_joules_by = step.shared;
  report.measured = {step.seconds, step.shared.total()};
  const auto [least, greatest] = std::minmax_element(seconds_.begin(), seconds_.end());
  report.spread = {*least, report.measured.seconds, *greatest};
}

MeasuredStepTimes Measurements::at_prices(const Platform& platform,
                                          const std::vector<RunAction>& reported) const {
  Schedule priced = schedule_;
  priced.platform = platform;
  const std::vector<Worker> all_workers = workers(platform);
  const MarginalJoules joules(priced, all_workers, lists_);
  std::vector<JoulesBy> steps;
  for (const MeasuredStep& step : kept_)
    steps.push_back(modelled_joules(priced, lists_, joules, step));
  MeasuredStepTimes medians{.seconds = median(seconds_)};
  for (const auto term : {&JoulesBy::switches, &JoulesBy::wait, &JoulesBy::active, &JoulesBy::idle,
                          &JoulesBy::memory, &JoulesBy::base}) {
    medians.shared.*term = median_term(steps, term);
  }
  for (const RunAction& row : reported) {
    const auto id = static_cast<ActionId>(medians.action_seconds.size());
    const Worker& worker = all_workers[schedule_.actions[id].worker];
    (worker.is_link() ? medians.shared.copy : medians.shared.compute) +=
        joules(id, row.measured_seconds);
    medians.action_seconds.push_back(row.measured_seconds);
  }
  return medians;
}

std::vector<RunAction> Measurements::actions() const {
  std::vector<RunAction> rows;
  rows.reserve(schedule_.actions.size());
  std::vector<double> starts(kept_.size());
  std::vector<double> seconds(kept_.size());
  for (std::size_t i = 0; i < schedule_.actions.size(); ++i) {
    for (std::size_t step = 0; step < kept_.size(); ++step) {
      starts[step] = kept_[step].start_seconds[i];
      seconds[step] = kept_[step].action_seconds[i];
    }
    rows.push_back(
        {schedule_.actions[i].id, median(starts), simulation_.seconds[i], median(seconds)});
  }
  return rows;
}

}  // namespace stint
