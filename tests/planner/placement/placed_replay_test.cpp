// What a replay does of what a choice says, and what it refuses to.
#include "planner/placement/placed_replay.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "planner/placement/placed_draft.hpp"
#include "planner/placement/placement_search.hpp"
#include "planner/plan.hpp"
#include "schedules/validate.hpp"
#include "tests/planner/graphs/random_training.hpp"
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

TEST_CASE("a replay costs what the simulator says where workers spin or sleep", "[placement]") {
  // Seconds are so few that some waits are too short for sleep to pay, and others are not.
  int spun = 0;
  int slept = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    Graph graph = on_two_devices(random_training(seed), seed);
    for (Task& task : graph.tasks) {
      for (auto& [kind, seconds] : task.seconds) seconds = seconds * 1e-5;
    }
    TwoMemoriesOptions machine;
    machine.bytes_per_second = 1e6;
    Platform platform = two_memories(machine);
    for (Device& device : platform.devices) device.wait_watts = 15;
    const Problem problem = problem_of(graph, platform);
    const auto placed = placed_graph(problem);
    REQUIRE(placed);
    TaskOrder order;
    std::vector<DeviceId> devices;
    for (std::size_t t = 0; t < placed->tasks(); ++t) {
      order.push_back(static_cast<TaskId>(t));
      devices.push_back(static_cast<DeviceId>((seed + t * t) % 2));
    }
    PlacementChoice choice = plain_choice(*placed, order, devices);
    settle_ties(*placed, choice);
    settle_order(*placed, choice);
    PlacedReplay replay(*placed);
    REQUIRE(replay.make(choice));
    const Schedule schedule = finish(problem, placed_draft(*placed, replay), "placement");
    if (schedule.predicted.seconds != Approx(replay.seconds()).epsilon(1e-9)) continue;
    CHECK(schedule.predicted.joules == Approx(replay.joules()).epsilon(1e-9));
    for (const Action& action : schedule.actions) {
      if (action.what == Do::compute) ++(action.wait == Wait::spin ? spun : slept);
    }
  }
  CHECK(spun > 20);
  CHECK(slept > 5);
}

TEST_CASE("a deadline is an excess, or a price of seconds on both sides of it", "[placement]") {
  const Graph graph = on_two_devices(random_training(1), 1);
  const Problem free = problem_of(graph, two_memories());
  const auto placed = placed_graph(free);
  REQUIRE(placed);
  TaskOrder order;
  for (std::size_t t = 0; t < placed->tasks(); ++t) order.push_back(static_cast<TaskId>(t));
  const PlacementChoice choice =
      plain_choice(*placed, order, std::vector<DeviceId>(order.size(), DeviceId{0}));
  PlacedReplay replay(*placed);
  REQUIRE(replay.make(choice));
  const double seconds = replay.seconds();
  const double joules = replay.joules();
  for (const double times : {0.8, 1.25}) {
    CAPTURE(times);
    Request request;
    request.deadline_seconds = seconds * times;
    const Problem problem = problem_of(graph, two_memories(), request);
    const auto in_time = placed_graph(problem);
    REQUIRE(in_time);
    PlacedReplay again(*in_time);
    const auto bounded = tried(*in_time, again, choice, {problem.capacity_bytes});
    REQUIRE(bounded);
    CHECK(bounded->value == Approx(joules));
    CHECK(bounded->excess == Approx(std::max(0.0, 1 / times - 1)));
    const auto priced = tried(*in_time, again, choice, {problem.capacity_bytes, 3});
    REQUIRE(priced);
    CHECK(priced->value == Approx(joules + 3 * seconds * (1 - times)));
    CHECK(priced->excess == 0);
  }
}

TEST_CASE("placements within a deadline are the same with any number of threads", "[placement]") {
  Request request;
  request.strategy = "placement";
  request.limit = 0.5;
  const Graph graph = on_two_devices(random_training(3), 3);
  Request time;
  time.objective = Objective::time;
  time.limit = 0.1;
  const Outcome fastest = plan(problem_of(graph, two_memories(), time), {});
  REQUIRE(fastest.schedule);
  request.deadline_seconds = fastest.schedule->predicted.seconds * 1.3;
  const Problem problem = problem_of(graph, two_memories(), request);
  const auto text = [&](int threads) {
    SearchOptions options;
    options.threads = threads;
    const Outcome outcome = plan(problem, options);
    REQUIRE(outcome.schedule);
    return schedule_text(*outcome.schedule);
  };
  const std::string alone = text(1);
  CHECK(text(2) == alone);
  CHECK(text(3) == alone);
}
