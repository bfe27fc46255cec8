#include "executor/measured_step.hpp"

#include <catch2/catch.hpp>

#include "platforms/names.hpp"
#include "tests/support/small_schedules.hpp"

using namespace stint;

namespace {

// One action after another, ten ticks each.
StepTimes one_after_another(const Schedule& schedule) {
  StepTimes times{.begin = 100};
  for (Ticks i = 0; i < schedule.actions.size(); ++i) {
    times.actions.push_back({110 + 10 * i, 120 + 10 * i});
  }
  return times;
}

bool kept(const Schedule& schedule, const StepTimes& times) {
  return kept_order(schedule, lanes(schedule, static_cast<int>(workers(schedule.platform).size())),
                    times);
}

}  // namespace

TEST_CASE("ticks become seconds from the begin of the step", "[measured_step]") {
  const MeasuredStep step = measured_step(one_after_another(chain_kept_whole()), 0.5);
  CHECK(step.start_seconds[0] == 5);
  CHECK(step.action_seconds[0] == 5);
  CHECK(step.start_seconds[1] == 10);
  CHECK(step.seconds == 0.5 * 120);
}

TEST_CASE("an action that begins before what it waits for has ended is noticed",
          "[measured_step]") {
  const Schedule schedule = chain_offloaded();
  const StepTimes good = one_after_another(schedule);
  REQUIRE(kept(schedule, good));
  int noticed = 0;
  for (std::size_t i = 0; i < schedule.actions.size(); ++i) {
    StepTimes early = good;
    early.actions[i].begin = 99;
    CHECK_FALSE(kept(schedule, early));
    early.actions[i].begin = 101;
    noticed += kept(schedule, early) ? 0 : 1;
  }
  CHECK(noticed == static_cast<int>(schedule.actions.size()) - 1);  // all but the first
}

TEST_CASE("what ran on a device is timed and ordered by its clock", "[measured_step]") {
  const Schedule schedule = chain_offloaded();
  StepTimes times = one_after_another(schedule);
  for (std::size_t i = 0; i < schedule.actions.size(); ++i) {
    const auto at = static_cast<double>(i);
    times.on_devices.push_back(
        {0, 90, 20 + at, 20.75 + at});  // its clock began 5 s before the step
  }
  const MeasuredStep step = measured_step(times, 0.5);
  CHECK(step.start_seconds[1] == 20 + 1 - 5);
  CHECK(step.action_seconds[1] == 0.75);
  CHECK(step.seconds == 0.5 * (10 + 10 * static_cast<double>(schedule.actions.size())));
  CHECK(kept(schedule, times));
  times.on_devices[1].begin_seconds = 20.5;  // before the first has ended
  CHECK_FALSE(kept(schedule, times));
}
