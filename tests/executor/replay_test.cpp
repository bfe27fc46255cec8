// The same bits whatever the plan, the workers and the timing.
#include <catch2/catch.hpp>

#include "models/graph.hpp"
#include "tests/executor/replays.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/random_platform.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/small_schedules.hpp"
#include "tests/support/training_step.hpp"

using namespace stint;

TEST_CASE("a run ends with what the tasks compute one after another", "[replay]") {
  for (const Schedule& schedule :
       {chain_kept_whole(), chain_recomputed(), chain_offloaded(), training_step()}) {
    const RunReport report = replay(schedule);
    CHECK(report.replayed_exactly);
    CHECK(hashes(report) == reference_run(schedule.graph, 3));
  }
}

TEST_CASE("recomputing and offloading change no bit", "[replay]") {
  const ReferenceRun kept = hashes(replay(chain_kept_whole()));
  CHECK(hashes(replay(chain_recomputed())) == kept);
  CHECK(hashes(replay(chain_offloaded())) == kept);
}

TEST_CASE("inputs follow from the seed and the step", "[replay]") {
  RunOptions other = quick_options();
  other.seed = 1;
  CHECK(replay(training_step(), other).results_sha256 != replay(training_step()).results_sha256);
  CHECK(hashes(replay(training_step(), other)) == reference_run(training_step().graph, 3, 1));
  RunOptions longer = quick_options();
  longer.steps = 4;
  CHECK(replay(training_step(), longer).state_sha256 != replay(training_step()).state_sha256);
}

TEST_CASE("warm-up steps leave no trace", "[replay]") {
  RunOptions warm = quick_options();
  warm.warmup_steps = 2;
  CHECK(hashes(replay(training_step(), warm)) == hashes(replay(training_step())));
}

TEST_CASE("plans of random graphs on random machines end as they must", "[replay]") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const Schedule schedule = random_plan(seed);
    const RunReport report = replay(schedule);
    CHECK(report.replayed_exactly);
    CHECK(hashes(report) == reference_run(schedule.graph, 3));
  }
}

TEST_CASE("1, 2 and 4 workers end with the same bits, a hundred times, whatever delays them",
          "[replay]") {
  RandomGraphOptions options;
  options.tasks = 24;
  options.max_bytes = 4096;
  const Graph graph = random_graph(11, options);
  const ReferenceRun expected = reference_run(graph, 3);
  for (const int workers : {1, 2, 4}) {
    Request request;
    request.objective = Objective::time;
    const Schedule schedule = plan_of(graph, course_machine(workers), request);
    for (std::uint64_t repetition = 0; repetition < 100; ++repetition) {
      CAPTURE(workers, repetition);
      const RunReport report = replay_with(schedule, random_delays(repetition));
      REQUIRE(report.replayed_exactly);
      REQUIRE(hashes(report) == expected);
    }
  }
}

TEST_CASE("waiting asleep changes no bit", "[replay]") {
  Schedule schedule = training_step();
  for (Action& action : schedule.actions) {
    if (action.what == Do::compute) action.wait = Wait::sleep;
  }
  predict_again(schedule);
  CHECK(hashes(replay(schedule)) == reference_run(schedule.graph, 3));
}
