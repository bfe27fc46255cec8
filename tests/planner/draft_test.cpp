// Good schedules made by hand, taken apart to drafts and finished again: nothing is lost by it.

#include "planner/draft.hpp"

#include <catch2/catch.hpp>

#include "schedules/validate.hpp"
#include "tests/planner/problems.hpp"
#include "tests/support/chain_graph.hpp"
#include "tests/support/small_schedules.hpp"
#include "tests/support/training_step.hpp"

using namespace stint;

namespace {

Problem problem_of_schedule(const Schedule& schedule) {
  return problem_of(schedule.model, schedule.platform, schedule.request);
}

// Keeps what a strategy decides, and forgets what follows from it: also the order in which copies
// wait for what is not their data.
Draft draft_from(const Schedule& schedule) {
  Draft draft;
  for (Buffer buffer : schedule.buffers) {
    buffer.offset = 0;
    buffer.id = 0;
    draft.buffers.push_back(buffer);
  }
  for (Action action : schedule.actions) {
    action.id = 0;
    action.after.clear();
    action.wait = Wait::spin;
    action.start_seconds = action.seconds = action.joules = std::nullopt;
    draft.actions.push_back(action);
  }
  for (const TensorId result : schedule.graph.results) {
    for (std::size_t b = schedule.buffers.size(); b-- > 0;) {
      if (schedule.buffers[b].tensor != result) continue;
      draft.kept.push_back(static_cast<BufferId>(b));
      break;
    }
  }
  return draft;
}

Schedule finished_again(const Schedule& schedule) {
  return finish(problem_of_schedule(schedule), draft_from(schedule), "by hand");
}

// Beside the proof, which is not the finisher's.
void expect_valid(Schedule schedule) {
  predict_again(schedule);
  for (const Violation& violation : validate(schedule)) FAIL_CHECK(to_string(violation));
}

}  // namespace

TEST_CASE("the chain kept whole is finished to 6 bytes and 385 joules", "[draft]") {
  const Schedule schedule = finished_again(chain_kept_whole());
  expect_valid(schedule);
  CHECK(schedule.arenas == std::map<std::string, std::int64_t>{{"n0/ram", 6}});
  CHECK(schedule.predicted.joules == Approx(385));
  CHECK(schedule.predicted.seconds == Approx(11));
}

TEST_CASE("the chain with recomputation is finished to 4 bytes and 455 joules", "[draft]") {
  const Schedule schedule = finished_again(chain_recomputed());
  expect_valid(schedule);
  CHECK(schedule.arenas == std::map<std::string, std::int64_t>{{"n0/ram", 4}});
  CHECK(schedule.predicted.joules == Approx(455));
  CHECK(schedule.predicted.recomputed == 2);
}

TEST_CASE("a copy that waits for more than its data comes back no earlier", "[draft]") {
  const Schedule given = chain_offloaded();
  Draft draft = draft_from(given);
  for (std::size_t a = 0; a < given.actions.size(); ++a) {
    if (given.actions[a].what == Do::copy) draft.actions[a].after = given.actions[a].after;
  }
  const Schedule schedule = finish(problem_of_schedule(given), draft, "by hand");
  expect_valid(schedule);
  CHECK(schedule.arenas == given.arenas);
  CHECK(schedule.predicted.seconds == Approx(given.predicted.seconds));
  CHECK(schedule.predicted.joules == Approx(given.predicted.joules));
}

TEST_CASE("a step with parts, state, overwriting and copies is finished as well as by hand",
          "[draft]") {
  const Schedule given = training_step();
  const Schedule schedule = finished_again(given);
  expect_valid(schedule);
  for (const auto& [memory, arena] : schedule.arenas) CHECK(arena <= given.arenas.at(memory));
  CHECK(schedule.predicted.seconds <= given.predicted.seconds + 1e-12);
}

TEST_CASE("the cost of a draft is what its schedule is predicted to cost", "[draft]") {
  const Schedule given = GENERATE(chain_kept_whole(), chain_recomputed(), training_step());
  const Problem problem = problem_of_schedule(given);
  Schedule scratch = problem.blank;
  const auto cost = cost_of(problem, draft_from(given), scratch);
  const Schedule schedule = finish(problem, draft_from(given), "by hand");
  REQUIRE(cost);
  CHECK(cost->seconds == schedule.predicted.seconds);
  CHECK(cost->joules == schedule.predicted.joules);
}

TEST_CASE("sizes whose sum no machine holds have no cost", "[draft]") {
  Platform platform = plain_machine(1, std::int64_t{1} << 60);
  const Problem problem = problem_of(chain_graph(5), platform);
  Schedule scratch = problem.blank;
  Draft draft = draft_from(chain_kept_whole());
  CHECK_FALSE(cost_of(problem, draft, scratch));
}
