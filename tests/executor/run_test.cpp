#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "executor/synthetic_data.hpp"
#include "files/input_error.hpp"
#include "tests/executor/replays.hpp"
#include "tests/support/schedule_builder.hpp"
#include "tests/support/small_schedules.hpp"
#include "tests/support/training_step.hpp"

using namespace stint;

TEST_CASE("what the judge rejects is never replayed", "[run]") {
  Schedule schedule = chain_kept_whole();
  schedule.buffers[2].offset = schedule.buffers[1].offset;
  CHECK_THROWS_AS(replay(schedule), InputError);
  CHECK_THROWS_WITH(replay(schedule), Catch::Contains("R11"));
}

TEST_CASE("arenas beyond this machine are refused", "[run]") {
  Schedule schedule = chain_kept_whole();
  for (Memory& memory : schedule.platform.memories) memory.bytes = std::int64_t{1} << 60;
  schedule.arenas["n0/ram"] = std::int64_t{1} << 59;
  schedule.request.memory.clear();
  predict_again(schedule);
  CHECK_THROWS_WITH(replay(schedule), Catch::Contains("that this machine can give"));
}

TEST_CASE("a report says what was done", "[run]") {
  const Schedule schedule = training_step();
  RunOptions options = quick_options();
  options.warmup_steps = 1;
  const RunReport report = replay(schedule, options);
  CHECK(report.steps == 3);
  CHECK(report.warmup_steps == 1);
  CHECK(report.predicted.seconds == schedule.predicted.seconds);
  CHECK(report.predicted.joules == Approx(schedule.predicted.joules));
  CHECK(report.measured.seconds > 0);
  CHECK(report.spread.least_seconds <= report.spread.median_seconds);
  CHECK(report.spread.median_seconds <= report.spread.greatest_seconds);
  CHECK(report.measured_joules_by.total() > 0);
  CHECK(report.energy.basis == "modelled:assumed");
  CHECK(report.energy.why_not_better);
  CHECK(report.actions.size() == schedule.actions.size());
  for (const auto& [name, bytes] : report.peak_bytes) CHECK(bytes <= schedule.arenas.at(name));
}

TEST_CASE("a task takes at least the time that was predicted", "[run]") {
  Schedule schedule = chain_kept_whole();
  for (Graph* graph : {&model_graph(schedule), &schedule.graph}) {
    for (Task& task : graph->tasks) task.seconds["cpu"] = 0.002;
  }
  for (Action& action : schedule.actions) {
    action.start_seconds.reset();
    action.seconds.reset();
    action.joules.reset();
  }
  predict_again(schedule);
  RunOptions options = quick_options();
  options.pace = Pace::predicted;
  const RunReport report = replay(schedule, options);
  CHECK(report.measured.seconds >= 0.022);
  for (const RunAction& action : report.actions) {
    CHECK(action.predicted_seconds == Approx(0.002));
    CHECK(action.measured_seconds >= 0.002);
  }
}

TEST_CASE("a worker that fails stops the others and names its action", "[run]") {
  const Schedule schedule = training_step();
  for (int failing = 0; failing < static_cast<int>(schedule.actions.size()); ++failing) {
    const auto fail = [&](ActionId action, std::int64_t step) {
      if (action == failing && step == 1) throw std::runtime_error("the device is lost");
    };
    const std::string name = "action " + std::to_string(schedule.actions[failing].id);
    CHECK_THROWS_WITH(replay_with(schedule, fail), Catch::Contains("step 1, " + name + " (") &&
                                                       Catch::Contains("the device is lost"));
  }
}

TEST_CASE("an interrupted run ends after the action in hand", "[run]") {
  const Schedule schedule = training_step();
  std::atomic<bool> interrupted{false};
  std::atomic<int> begun{0};
  Arenas arenas(schedule, {});
  RunOptions options = quick_options();
  options.steps = 1'000'000;
  const SyntheticValues values(schedule.graph, 0);
  SyntheticBackend backend(schedule, arenas, values, Pace::none);
  std::thread user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    interrupted = true;
  });
  CHECK_THROWS_AS(run_unjudged(schedule, arenas, backend, values, options, interrupted),
                  Interrupted);
  user.join();
}
