// What a replay does of what a choice says, and what it refuses to.
#include "planner/placement/placed_replay.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "planner/placement/placed_draft.hpp"
#include "planner/plan.hpp"
#include "schedules/validate.hpp"
#include "tests/planner/placement/two_memories.hpp"
#include "tests/planner/problems.hpp"

using namespace stint;

namespace {

// R reads w as it was before U, from a copy in the accelerator's memory. It waits for A, so that U
// has long been there.
constexpr const char* updated_meanwhile =
    R"({"format": "stint-tasks", "version": 1, "name": "meanwhile",
 "tensors": [{"name": "w", "bytes": 4, "kind": "state"}, {"name": "a", "bytes": 4}, {"name": "y", "bytes": 1}],
 "tasks": [{"name": "A", "writes": ["a"], "seconds": {"gpu": 10}},
           {"name": "R", "reads": ["a", "w"], "writes": ["y"], "seconds": {"gpu": 1}},
           {"name": "U", "updates": ["w"], "seconds": {"cpu": 1}}],
 "results": ["y"]})";

int place_of(int task, const TaskOrder& order) {
  return static_cast<int>(std::find(order.begin(), order.end(), task) - order.begin());
}

}  // namespace

TEST_CASE("a replay reads no state that has been updated since, however the order came about",
          "[placement]") {
  Request request;
  request.strategy = "keep-all";
  const Problem problem = problem_of(updated_meanwhile, two_memories({1}), request);
  const Outcome kept = plan(problem, {});
  REQUIRE(kept.schedule);
  const auto graph = placed_graph(problem);
  REQUIRE(graph);
  PlacementChoice choice = choice_of(*graph, *kept.schedule);
  CHECK(place_of(2, choice.order) < place_of(1, choice.order));  // as they start
  PlacedReplay replay(*graph);
  CHECK_FALSE(replay.make(choice));
  settle_order(*graph, choice);
  CHECK(place_of(1, choice.order) < place_of(2, choice.order));
  REQUIRE(replay.make(choice));
  const Schedule schedule = finish(problem, placed_draft(*graph, replay), "placement");
  CHECK(schedule.predicted.seconds == Approx(kept.schedule->predicted.seconds));
  for (const Violation& violation : validate(schedule))
    CHECK(violation.rule == 22);  // no proof yet
}

TEST_CASE("settling an order changes nothing in one that needs it not", "[placement]") {
  const Problem problem = problem_of(updated_meanwhile, two_memories({1}));
  const auto graph = placed_graph(problem);
  REQUIRE(graph);
  const TaskOrder listed{TaskId{0}, TaskId{1}, TaskId{2}};
  PlacementChoice choice = plain_choice(*graph, listed, {DeviceId{1}, DeviceId{1}, DeviceId{0}});
  settle_order(*graph, choice);
  CHECK(choice.order == listed);
}
