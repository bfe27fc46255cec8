#include "planner/graphs/retention.hpp"

#include <catch2/catch.hpp>
#include <numeric>

#include "planner/graphs/retention_search.hpp"
#include "tests/planner/problems.hpp"
#include "tests/support/chain_graph.hpp"

using namespace stint;

namespace {

// a -> b -> c, then d reads a and c.
const char* const skip = R"({"format": "stint-tasks", "version": 1, "name": "skip",
 "tensors": [{"name": "a", "bytes": 5}, {"name": "b", "bytes": 7}, {"name": "c", "bytes": 7}, {"name": "d", "bytes": 1}],
 "tasks": [{"name": "A", "writes": ["a"], "seconds": {"cpu": 1}},
           {"name": "B", "reads": ["a"], "writes": ["b"], "seconds": {"cpu": 2}},
           {"name": "C", "reads": ["b"], "writes": ["c"], "may_overwrite": {"c": "b"}, "workspace_bytes": 3, "seconds": {"cpu": 4}},
           {"name": "D", "reads": ["a", "c"], "writes": ["d"], "seconds": {"cpu": 8}}],
 "results": ["d"]})";

std::vector<double> seconds_of(const Problem& problem) { return problem.seconds[0]; }

TaskSequence tasks(std::initializer_list<int> ids) {
  TaskSequence sequence;
  for (const int id : ids) sequence.push_back(static_cast<TaskId>(id));
  return sequence;
}

}  // namespace

TEST_CASE("a sequence takes what is live, with workspace and outputs in place of inputs",
          "[graph]") {
  const Problem problem = problem_of(skip, plain_machine());
  const auto graph = device_graph(problem, DeviceId{0});
  REQUIRE(graph);
  SequenceMeter meter(*graph, seconds_of(problem));
  SECTION("each task once") {
    const SequenceMeasure measure = meter.measure(tasks({0, 1, 2, 3}));
    CHECK(measure.cost == 15);
    CHECK(measure.peak_bytes == 5 + 7 + 3);  // c lies where b was
    CHECK(measure.peak_step == 2);
  }
  SECTION("the first again") {
    const SequenceMeasure measure = meter.measure(tasks({0, 1, 2, 0, 3}));
    CHECK(measure.cost == 16);
    CHECK(measure.peak_bytes == 5 + 7 + 1);  // at the end; a is gone while C runs
    CHECK(measure.peak_step == 4);
  }
}

TEST_CASE("what is not kept is computed again just before it is read", "[graph]") {
  const Problem problem = problem_of(skip, plain_machine());
  const auto graph = device_graph(problem, DeviceId{0});
  const RetentionGaps gaps(*graph, listed_order(problem));
  RetentionReplay replay(*graph, gaps);
  Retention retention = gaps.keep_all();
  REQUIRE(replay.make(retention));
  CHECK(replay.sequence() == tasks({0, 1, 2, 3}));
  const GraphItemId a = graph->item_of[0];
  const GraphItemId b = graph->item_of[1];
  retention.keep[gaps.gap_after_use(a, 1)] = 0;  // after B
  REQUIRE(replay.make(retention));
  CHECK(replay.sequence() == tasks({0, 1, 2, 0, 3}));
  CHECK(replay.stage() == std::vector<int>{0, 1, 2, 3, 3});
  retention.keep[gaps.gap_after_use(b, 0)] = 0;  // before its only reader
  REQUIRE(replay.make(retention));
  CHECK(replay.sequence() == tasks({0, 1, 0, 1, 2, 3}));  // a is held for D
  retention.hold[a] = 0;
  REQUIRE(replay.make(retention));
  CHECK(replay.sequence() == tasks({0, 1, 0, 1, 2, 0, 3}));
}

TEST_CASE("sets at moments say what is there after them", "[graph]") {
  const Problem problem = problem_of(skip, plain_machine());
  const auto graph = device_graph(problem, DeviceId{0});
  const RetentionGaps gaps(*graph, listed_order(problem));
  RetentionReplay replay(*graph, gaps);
  std::vector<char> only_c(graph->items.size(), 0);
  only_c[graph->item_of[2]] = 1;
  REQUIRE(replay.make({2}, {only_c}));
  CHECK(replay.sequence() == tasks({0, 1, 2, 0, 3}));
}

TEST_CASE("what nobody can compute after an update is computed again before it", "[graph]") {
  const Problem problem = problem_of(R"({"format": "stint-tasks", "version": 1, "name": "update",
 "tensors": [{"name": "w", "bytes": 1, "kind": "state"}, {"name": "a", "bytes": 5}, {"name": "b", "bytes": 7}, {"name": "d", "bytes": 1}],
 "tasks": [{"name": "A", "reads": ["w"], "writes": ["a"], "seconds": {"cpu": 1}},
           {"name": "B", "reads": ["a"], "writes": ["b"], "seconds": {"cpu": 2}},
           {"name": "U", "reads": ["b"], "updates": ["w"], "seconds": {"cpu": 4}},
           {"name": "D", "reads": ["a", "b"], "writes": ["d"], "seconds": {"cpu": 8}}],
 "results": ["d"]})",
                                     plain_machine());
  const auto graph = device_graph(problem, DeviceId{0});
  const RetentionGaps gaps(*graph, listed_order(problem));
  RetentionReplay replay(*graph, gaps);
  std::vector<char> only_b(graph->items.size(), 0);
  only_b[graph->item_of[2]] = 1;
  REQUIRE(replay.make({1}, {only_b}));
  CHECK(replay.sequence() == tasks({0, 1, 0, 2, 3}));
  CHECK_FALSE(replay.make({2}, {only_b}));  // after the update it is too late
}

TEST_CASE("local search finds the cheapest plan of the course's chain", "[graph]") {
  const auto [bytes, recomputed] =
      GENERATE(table<std::int64_t, int>({{6, 0}, {5, 1}, {4, 2}, {3, 4}}));
  CAPTURE(bytes);
  const Problem problem =
      problem_of(read_graph(STINT_SOURCE_DIR "/models/chain5.json"), plain_machine());
  const auto graph = device_graph(problem, DeviceId{0});
  const RetentionGaps gaps(*graph, listed_order(problem));
  SequenceMeter meter(*graph, seconds_of(problem));
  RetentionSearchOptions options;
  options.capacity_bytes = bytes;
  options.steps = 400'000;
  const RetentionFound found = search_retention(*graph, gaps, meter, gaps.keep_all(), options);
  REQUIRE(found.plan);
  CHECK(found.plan->measure.peak_bytes <= bytes);
  CHECK(found.plan->measure.cost == 11 + recomputed);
}
