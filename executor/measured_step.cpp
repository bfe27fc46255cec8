#include "executor/measured_step.hpp"

#include <algorithm>

namespace stint {

MeasuredStep measured_step(const StepTimes& times, double seconds_per_tick) {
  MeasuredStep step;
  const auto seconds = [&](Ticks from, Ticks to) {
    return to <= from ? 0.0 : static_cast<double>(to - from) * seconds_per_tick;
  };
  for (const ActionTimes& action : times.actions) {
    step.start_seconds.push_back(seconds(times.begin, action.begin));
    step.action_seconds.push_back(seconds(action.begin, action.end));
    step.seconds = std::max(step.seconds, seconds(times.begin, action.end));
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
    });
  }
  return kept;
}

}  // namespace stint
