#include "schedules/simulate.hpp"

#include <catch2/catch.hpp>

#include "tests/support/schedule_builder.hpp"
#include "tests/support/small_schedules.hpp"
#include "tests/support/training_step.hpp"

using namespace stint;

TEST_CASE("the training step's times and joules are those worked out by hand", "[simulate]") {
  const Simulation s = simulate(training_step());
  // F0, F1 0-2; G 2-5; H 5-6; c goes out 6-7.5; L 7.5-8.5; gc comes back 8.5-10; D 10-12; U 12-13;
  // V 13-14.
  CHECK(s.start_seconds == std::vector<double>{0, 0, 2, 5, 6, 7.5, 8.5, 10, 12, 13});
  CHECK(s.makespan_seconds == 14.0);
  CHECK(s.joules_by.compute == 4.0 * (2 + 2 + 3 + 1 + 2 + 1 + 1) + 20.0);
  CHECK(s.joules_by.copy == 8 * 0.125 + (8 * 0.125 + 2 * 1.5));
  CHECK(s.joules_by.switches == 0);
  // n0/cpu/0 from 6 to 10 and, for the next step, from 13 to 14; n0/cpu/1 from 2 to 13.
  CHECK(s.joules_by.wait == 0.5 * (4 + 1 + 11));
  CHECK(s.joules_by.active == 1.0 * (6 + 4));  // the cpu computes from 0 to 6 and 10 to 14
  CHECK(s.joules_by.idle == 14.0 * (2 + 5));
  CHECK(s.joules_by.base == 140.0);
  // While G runs: image is gone, w 4, a 8, b 8, tape 8; while F0 runs: 8 + 4 + 8 + 4 of workspace.
  CHECK(s.peak_bytes == std::vector<std::int64_t>{28, 20});
}

TEST_CASE("sleeping instead of spinning costs no waiting", "[simulate]") {
  Schedule schedule = training_step();
  for (Action& action : schedule.actions) action.wait = Wait::sleep;
  CHECK(simulate(schedule).joules_by.wait == 0);
}

TEST_CASE("an output that takes an input's place adds no live bytes", "[simulate]") {
  TrainingStep step;
  Schedule together = step.builder.finish();
  together.actions[step.f0].workspace = step.workspace;
  Schedule apart = together;
  apart.buffers[step.c].offset = 48;
  apart.arenas["n0/ram"] = 56;
  predict_again(apart);
  expect_good(apart);
  // During H: w 4, b 8, tape 8 and, apart, c 8: as much as during G.
  CHECK(simulate(together).peak_bytes[0] == 28);
  CHECK(simulate(apart).peak_bytes[0] == 28);
  const auto level_during_h = [](const Schedule& schedule) {
    std::int64_t level = 0;
    const auto curves = memory_curves(schedule, simulate(schedule));
    for (const MemoryLevel& at : curves[0]) {
      if (at.seconds <= 5.0) level = at.bytes;
    }
    return level;
  };
  CHECK(level_during_h(together) == 20);
  CHECK(level_during_h(apart) == 28);
}

TEST_CASE("a state is entered once, and the step begins in the state in which it ended",
          "[simulate]") {
  TrainingStep step;
  Schedule schedule = step.builder.finish();
  for (const ActionId slow : {step.d, step.u}) schedule.actions[slow].state = 1;
  predict_again(schedule);
  expect_good(schedule);
  const Simulation s = simulate(schedule);
  // D enters slow: 0.25 s and 3 J; at half the speed it takes 4 s, U 2 s. V enters fast for
  // nothing.
  CHECK(s.start_seconds[step.d] == 10.25);
  CHECK(s.start_seconds[step.u] == 14.25);
  CHECK(s.start_seconds[step.v] == 16.25);
  CHECK(s.joules_by.switches == 3.0);

  schedule.actions[step.v].state = 1;  // the next step enters fast again, the first one too
  predict_again(schedule);
  CHECK(simulate(schedule).joules_by.switches == 3.0);
}

TEST_CASE("links of one channel serve one copy at a time, first come first served", "[simulate]") {
  TrainingStep step;
  Schedule schedule = step.builder.finish();
  // image goes out as well, at once; it holds the channel from 0 to 1.5 only.
  Buffer image_gpu = schedule.buffers[step.image];
  image_gpu.id = 50;
  image_gpu.initial = false;
  image_gpu.memory = MemoryId{1};
  image_gpu.offset = 24;
  schedule.arenas["n0/hbm"] = 32;
  Action out = schedule.actions[step.c_out];
  out.id = 50;
  out.reads = {step.image};
  out.writes = {static_cast<BufferId>(schedule.buffers.size())};
  out.after = {step.l};  // ready at 8.5, as gc_back is, which stands before it in the file
  schedule.buffers.push_back(image_gpu);
  schedule.actions.push_back(out);
  predict_again(schedule);
  expect_good(schedule);
  CHECK(simulate(schedule).start_seconds.back() == 10.0);

  schedule.platform.links[0].channel = "";  // a channel of its own
  CHECK(simulate(schedule).start_seconds.back() == 8.5);
}

TEST_CASE("the billing window is the makespan, the deadline or the period", "[simulate]") {
  Schedule schedule = chain_kept_whole();
  CHECK(simulate(schedule).joules_by.base == 20.0 * 11);
  schedule.request.deadline_seconds = 20.0;
  CHECK(simulate(schedule).joules_by.base == 20.0 * 11);
  schedule.request.bill = Bill::deadline;
  CHECK(simulate(schedule).joules_by.base == 20.0 * 20);
  schedule.request.bill = Bill::period;
  schedule.request.period_seconds = 15;
  CHECK(simulate(schedule).joules_by.idle == 8.0 * 15);
}

TEST_CASE("tasks of no duration are live one after another", "[simulate]") {
  Schedule schedule = chain_kept_whole();
  for (Task& task : schedule.graph.tasks) task.seconds["cpu"] = 0.0;
  schedule.model = schedule.graph;
  for (Action& action : schedule.actions) action.start_seconds = action.seconds = {};
  for (Action& action : schedule.actions) action.joules = {};
  predict_again(schedule);
  expect_good(schedule);
  CHECK(simulate(schedule).makespan_seconds == 0);
  CHECK(simulate(schedule).peak_bytes[0] == 6);
}

TEST_CASE("an input that nobody reads is live only when the step begins", "[simulate]") {
  Schedule schedule = chain_kept_whole();
  schedule.graph.tensors.push_back({"unread", 4, Kind::input, {}});
  schedule.model = schedule.graph;
  Buffer unread = schedule.buffers[0];
  unread.id = 50;
  unread.tensor = static_cast<TensorId>(schedule.graph.tensors.size() - 1);
  unread.bytes = 4;
  unread.offset = 2;  // where x2 to x5 come later
  schedule.buffers.push_back(unread);
  predict_again(schedule);
  expect_good(schedule);
  CHECK(simulate(schedule).peak_bytes[0] == 6);
}

TEST_CASE("the objective's value is what was asked for", "[simulate]") {
  Schedule schedule = chain_offloaded();
  const Simulation s = simulate(schedule);
  CHECK(objective_value(schedule, s) == 389.0);
  schedule.request.objective = Objective::time;
  CHECK(objective_value(schedule, s) == 11.0);
  schedule.request.objective = Objective::edp;
  CHECK(objective_value(schedule, s) == 389.0 * 11);
  schedule.request.objective = Objective::memory;
  CHECK(objective_value(schedule, s) == 5.0);  // the disk does not count
}

TEST_CASE("the energy terms sum to the total", "[simulate]") {
  const Predicted predicted = predict(training_step(), simulate(training_step()));
  CHECK(predicted.joules == predicted.joules_by.total());
}
