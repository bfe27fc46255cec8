#include "planner/graphs/side_by_side.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "planner/memory_bound.hpp"
#include "planner/plan.hpp"
#include "tests/planner/graphs/random_training.hpp"
#include "tests/planner/problems.hpp"

using namespace stint;

namespace {

GraphCrew crew_of(const Problem& problem, int workers, std::int64_t capacity) {
  return {workers, std::vector<int>(problem.graph().tasks.size(), 0), capacity, std::nullopt};
}

TaskSequence in_listed_order(const DeviceGraph& graph) {
  TaskSequence sequence;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) sequence.push_back(static_cast<TaskId>(t));
  return sequence;
}

// Short tasks that nobody waits for stand before a long chain.
const std::string late_chain = R"({"format": "stint-tasks", "version": 1, "name": "late",
 "tensors": [{"name": "a", "bytes": 1}, {"name": "b", "bytes": 1}, {"name": "c", "bytes": 1}, {"name": "d", "bytes": 1}],
 "tasks": [{"name": "A", "writes": ["a"], "seconds": {"cpu": 2}},
           {"name": "B", "writes": ["b"], "seconds": {"cpu": 2}},
           {"name": "C", "writes": ["c"], "seconds": {"cpu": 3}},
           {"name": "D", "reads": ["c"], "writes": ["d"], "seconds": {"cpu": 3}}],
 "results": ["a", "b", "d"]})";

// Layers forward; each has two backward tasks, of which one leads on.
std::string branching_back(int layers) {
  std::string tensors;
  std::string tasks;
  for (int i = 0; i <= layers; ++i) {
    tensors += fmt::format(R"({{"name": "x{0}", "bytes": 1}}, {{"name": "g{0}", "bytes": 1}},)", i);
    if (i < layers) tensors += fmt::format(R"({{"name": "w{}", "bytes": 0}},)", i);
  }
  tensors.pop_back();
  tasks += R"({"name": "F", "writes": ["x0"], "seconds": {"cpu": 1}},)";
  for (int i = 0; i < layers; ++i) {
    tasks += fmt::format(
        R"({{"name": "F{0}", "reads": ["x{0}"], "writes": ["x{1}"], "seconds": {{"cpu": 1}}}},)", i,
        i + 1);
  }
  tasks += fmt::format(
      R"({{"name": "L", "reads": ["x{0}"], "writes": ["g{0}"], "seconds": {{"cpu": 1}}}},)",
      layers);
  for (int i = layers; i-- > 0;) {
    tasks += fmt::format(
        R"({{"name": "W{0}", "reads": ["g{1}", "x{0}"], "writes": ["w{0}"], "seconds": {{"cpu": 1}}}},)",
        i, i + 1);
    tasks += fmt::format(
        R"({{"name": "D{0}", "reads": ["g{1}"], "writes": ["g{0}"], "seconds": {{"cpu": 1}}}},)", i,
        i + 1);
  }
  tasks.pop_back();
  return R"({"format": "stint-tasks", "version": 1, "name": "back", "tensors": [)" + tensors +
         R"(], "tasks": [)" + tasks + R"(], "results": ["g0"]})";
}

}  // namespace

TEST_CASE("what has the longest way to the end begins first", "[graph]") {
  const Problem problem = problem_of(late_chain, plain_machine(2));
  const DeviceGraph graph = *device_graph(problem, DeviceId{0});
  const auto order =
      side_by_side(problem, graph, in_listed_order(graph), crew_of(problem, 2, huge_bytes));
  CHECK(order == TaskSequence{TaskId{2}, TaskId{0}, TaskId{1}, TaskId{3}});
}

TEST_CASE("a step overtakes others only where what it leaves behind fits", "[graph]") {
  const Problem problem = problem_of(late_chain, plain_machine(2));
  const DeviceGraph graph = *device_graph(problem, DeviceId{0});
  const TaskSequence listed = in_listed_order(graph);
  SequenceMeter meter(graph, std::vector<double>(graph.tasks.size(), 1.0));
  const std::int64_t least = meter.measure(listed).peak_bytes;
  const auto order = side_by_side(problem, graph, listed, crew_of(problem, 2, least));
  CHECK(meter.measure(order).peak_bytes <= least);
}

TEST_CASE("steps side by side are the same steps, in an order that holds and fits", "[graph]") {
  int changed = 0;
  for (int seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    RandomTrainingOptions options;
    options.layers = 8;
    options.with_updates = true;
    options.with_workspace = seed % 2 == 0;
    const Problem problem = problem_of(random_training(seed, options), plain_machine(2));
    const DeviceGraph graph = *device_graph(problem, DeviceId{0});
    const TaskSequence listed = in_listed_order(graph);
    SequenceMeter meter(graph, std::vector<double>(graph.tasks.size(), 1.0));
    const std::int64_t capacity = meter.measure(listed).peak_bytes + seed % 5;
    const auto order = side_by_side(problem, graph, listed, crew_of(problem, 2, capacity));
    CHECK(meter.measure(order).peak_bytes <= capacity);
    std::vector<int> place(listed.size(), -1);
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<int>(i);
    REQUIRE(std::is_permutation(order.begin(), order.end(), listed.begin(), listed.end()));
    for (std::size_t t = 0; t < listed.size(); ++t) {
      for (const TaskId before : problem.before[t]) CHECK(place[before] < place[t]);
    }
    if (order != listed) ++changed;
  }
  CHECK(changed > 20);
}

TEST_CASE("two workers in little memory reach what paths and work permit", "[graph]") {
  const int layers = 8;
  Request request = within("n0/ram", 12);
  request.strategy = "graph";
  const Outcome outcome = plan(problem_of(branching_back(layers), plain_machine(2), request), {});
  REQUIRE(outcome.schedule);
  CHECK(outcome.schedule->predicted.seconds == Approx(2 * layers + 2));
  CHECK(outcome.status == Status::optimal);
}

TEST_CASE("strategy graph gives the same bytes again, with any number of threads", "[graph]") {
  const int seed = GENERATE(range(0, 4));
  RandomTrainingOptions options;
  options.layers = 6;
  options.with_updates = true;
  const Graph graph = random_training(seed, options);
  Request request;
  request.strategy = "graph";
  request.limit = 0.1;
  request.memory["n0/ram"] =
      memory_bound(problem_of(graph, plain_machine(2)), MemoryId{0}).bytes + 9;
  const Problem problem = problem_of(graph, plain_machine(2), request);
  const auto text = [&](int threads) {
    SearchOptions search;
    search.threads = threads;
    const Outcome outcome = plan(problem, search);
    return outcome.schedule ? schedule_text(*outcome.schedule) : to_string(outcome.status);
  };
  const std::string once = text(1);
  CHECK(text(1) == once);
  CHECK(text(2) == once);
}
