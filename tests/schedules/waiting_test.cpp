#include "schedules/waiting.hpp"

#include <catch2/catch.hpp>

#include "schedules/critical_path.hpp"
#include "schedules/perturb.hpp"
#include "schedules/reordered.hpp"
#include "schedules/simulate.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/schedule_builder.hpp"
#include "tests/support/training_step.hpp"

using namespace stint;

namespace {

void price_hand_overs(Platform& platform, double spin, double sleep) {
  for (Device& device : platform.devices)
    device.time_model[hand_over_prices].terms = {{spin_term, spin}, {sleep_term, sleep}};
}

Schedule training_step_with_hand_overs(double spin, double sleep) {
  TrainingStep step;
  price_hand_overs(step.builder.schedule().platform, spin, sleep);
  return step.builder.finish();
}

}  // namespace

TEST_CASE("work handed over to another worker begins later, by how that waits", "[waiting]") {
  Schedule schedule = training_step_with_hand_overs(0.25, 1);
  expect_good(schedule);
  // F1 is handed over to G, and U to V; copies have their latency, and H follows G on its worker.
  // F0, F1 0-2; G 2.25-5.25; H -6.25; c goes out -7.75; L -8.75; gc comes back -10.25; D -12.25;
  // U -13.25; V 13.5-14.5.
  const Simulation spinning = simulate(schedule);
  CHECK(spinning.start_seconds ==
        std::vector<double>{0, 0, 2.25, 5.25, 6.25, 7.75, 8.75, 10.25, 12.25, 13.5});
  // n0/cpu/0 waits from 2 to 2.25, from 6.25 to 10.25 and for the end; n0/cpu/1 from 2 to 13.5.
  CHECK(spinning.joules_by.wait == 0.5 * (0.25 + 4 + 1.25 + 11.5));
  schedule.actions[9].wait = Wait::sleep;
  const Simulation sleeping = simulate(schedule);
  CHECK(sleeping.start_seconds[9] == 14.25);
  CHECK(sleeping.joules_by.wait == 0.5 * (0.25 + 4 + 2));
}

TEST_CASE("the wait of a worker's first task says how it waits from step to step", "[waiting]") {
  TrainingStep step;
  Schedule schedule = step.builder.finish();
  const auto list = [&](std::vector<ActionId> ids) { return wait_between_steps(schedule, ids); };
  CHECK(list({step.f0, step.g}) == Wait::spin);
  schedule.actions[step.f0].wait = Wait::sleep;
  CHECK(list({step.f0, step.g}) == Wait::sleep);
  CHECK(list({step.g, step.f0}) == Wait::spin);
  CHECK(list({}) == Wait::sleep);
  CHECK(list({step.c_out}) == Wait::sleep);                    // computes nothing
  CHECK(simulate(schedule).joules_by.wait == 0.5 * (4 + 11));  // n0/cpu/0 sleeps from 13 to 14
}

TEST_CASE("the critical path, and orders that would gain, know of hand-overs", "[waiting]") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    Schedule schedule = random_plan(seed);
    const double before = simulate(schedule).makespan_seconds;
    price_hand_overs(schedule.platform, 0.25, 0.5);
    for (Action& action : schedule.actions)
      action.start_seconds = action.seconds = action.joules = std::nullopt;
    predict_again(schedule);
    expect_good(schedule);
    const std::vector<Worker> all = workers(schedule.platform);
    const Order in_order = order(schedule, static_cast<int>(all.size()));
    const Simulation step = simulate(schedule);
    CHECK(step.makespan_seconds >= before);
    const HandOvers hand_overs(schedule, all);
    double reached = 0;
    ActionId last{-1};
    for (const ActionId id : critical_path(schedule, all, in_order.lanes, step)) {
      if (last >= 0) reached += hand_overs.seconds(last, id);
      if (step.joules_by.switches == 0) CHECK(step.start_seconds[id] == Approx(reached));
      reached = step.start_seconds[id] + step.seconds[id];
      last = id;
    }
    CHECK(reached == step.makespan_seconds);
    const Reordered reordered(schedule, all, in_order);
    CHECK(reordered.list_makespan(step.seconds) >=
          reordered.lower_bound(step.seconds) * (1 - 1e-9));
  }
}

TEST_CASE("another order has hand-overs too", "[waiting]") {
  const Schedule schedule = training_step_with_hand_overs(0.25, 1);
  const std::vector<Worker> all = workers(schedule.platform);
  const Order in_order = order(schedule, static_cast<int>(all.size()));
  const Simulation step = simulate(schedule);
  CHECK(Reordered(schedule, all, in_order).list_makespan(step.seconds) == step.makespan_seconds);
}
