#include "executor/measurements.hpp"

#include <algorithm>
#include <numeric>

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

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// The index of the (lower) median.
std::size_t median_at(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return order[(order.size() - 1) / 2];
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
  joules_.push_back(modelled_joules(schedule_, lists_, step));
  if (kept_.size() < most_kept_) kept_.push_back(std::move(step));
}

void Measurements::report(RunReport& report) const {
  if (seconds_.empty()) return;
  std::vector<double> totals;
  for (const JoulesBy& by : joules_) totals.push_back(by.total());
  report.replayed_exactly = kept_order_;
  report.energy.basis = model_basis(schedule_.platform);
  report.measured_joules_by = joules_[median_at(totals)];
  report.measured = {median(seconds_), median(totals)};
  const auto [least, greatest] = std::minmax_element(seconds_.begin(), seconds_.end());
  report.spread = {*least, report.measured.seconds, *greatest};
  report.actions = actions();
}

std::vector<RunAction> Measurements::actions() const {
  std::vector<RunAction> rows;
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
