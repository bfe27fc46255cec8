#include "executor/measured_step.hpp"

#include <algorithm>

namespace stint {
namespace {

double seconds_between(Ticks from, Ticks to, double seconds_per_tick) {
  return to <= from ? 0.0 : static_cast<double>(to - from) * seconds_per_tick;
}

// From the begin of the step. A device's clock began before it.
double start_on_device(const StepTimes& times, const DeviceSpan& span, double seconds_per_tick) {
  return std::max(
      0.0, span.begin_seconds - seconds_between(span.clock_began, times.begin, seconds_per_tick));
}

// Two times of one device, which counts in single precision and not finer than half a microsecond.
bool is_before(double end_seconds, double begin_seconds) {
  return end_seconds <= begin_seconds + 1e-6 + 1e-6 * begin_seconds;
}

bool is_on_device(const StepTimes& times, int action) {
  return !times.on_devices.empty() && times.on_devices[action].device >= 0;
}

}  // namespace

MeasuredStep measured_step(const StepTimes& times, double seconds_per_tick) {
  MeasuredStep step;
  for (int i = 0; i < static_cast<int>(times.actions.size()); ++i) {
    const auto [begin, end] = times.actions[i];
    step.seconds = std::max(step.seconds, seconds_between(times.begin, end, seconds_per_tick));
    if (is_on_device(times, i)) {
      const DeviceSpan& span = times.on_devices[i];
      step.start_seconds.push_back(start_on_device(times, span, seconds_per_tick));
      step.action_seconds.push_back(std::max(0.0, span.end_seconds - span.begin_seconds));
    } else {
      step.start_seconds.push_back(seconds_between(times.begin, begin, seconds_per_tick));
      step.action_seconds.push_back(seconds_between(begin, end, seconds_per_tick));
    }
  }
  return step;
}

bool kept_order(const Schedule& schedule, const Lanes& lists, const StepTimes& times) {
  bool kept = true;
  for (int i = 0; i < static_cast<int>(schedule.actions.size()); ++i) {
    const ActionTimes& own = times.actions[i];
    kept = kept && times.begin <= own.begin && own.begin <= own.end;
    for_each_predecessor(schedule, lists, ActionId{i}, [&](ActionId earlier) {
      kept = kept && times.actions[earlier].end <= own.begin;
      if (!is_on_device(times, i) || !is_on_device(times, earlier)) return;
      const DeviceSpan& one = times.on_devices[earlier];
      const DeviceSpan& next = times.on_devices[i];
      kept = kept && (one.device != next.device || is_before(one.end_seconds, next.begin_seconds));
    });
  }
  return kept;
}

}  // namespace stint
