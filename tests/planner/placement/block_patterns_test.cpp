// What tasks between two others cost at least, by where they run: against exhaustive search, and
// against plans of any kind.
#include "planner/placement/block_patterns.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "planner/placement/placed_replay.hpp"
#include "schedules/cost.hpp"
#include "tests/planner/placement/exhaustive_placement.hpp"
#include "tests/planner/placement/two_memories.hpp"
#include "tests/planner/problems.hpp"

using namespace stint;

namespace {

constexpr RelaxedUnits fine_units{1e-6, 1e-6, 0, 0};

// A task, several that read its result, of which the last may also read that of the one before it,
// and one that reads theirs.
Graph fork_and_join(std::uint64_t seed, int branches) {
  std::mt19937_64 random(seed);
  Graph graph;
  graph.name = "fork";
  const auto add = [&](std::vector<TensorId> reads) {
    Tensor result;
    result.name = "t" + std::to_string(graph.tensors.size());
    result.bytes = 1 + static_cast<std::int64_t>(random() % 20);
    graph.tensors.push_back(result);
    Task task;
    task.name = "T" + std::to_string(graph.tasks.size());
    task.seconds["cpu"] = 1 + static_cast<double>(random() % 9);
    task.reads = std::move(reads);
    task.writes = {static_cast<TensorId>(graph.tensors.size() - 1)};
    graph.tasks.push_back(task);
    return task.writes.front();
  };
  const TensorId input = add({});
  std::vector<TensorId> results;
  for (int b = 0; b < branches; ++b) {
    const bool follows = b > 0 && b + 1 == branches && seed % 2 == 1;
    results.push_back(follows ? add({input, results.back()}) : add({input}));
  }
  add(results);
  return on_two_devices(graph, seed);
}

Problem fork_problem(std::uint64_t seed, int branches, bool recompute) {
  TwoMemoriesOptions machine;
  machine.states = 2;
  machine.bytes_per_second = seed % 3 == 0 ? 3 : 30;
  machine.joules_per_byte = seed % 4 == 0 ? 0.02 : 0.5;
  Request request;
  request.recompute = recompute;
  return problem_of(fork_and_join(seed, branches), two_memories(machine), request);
}

// By pattern, with the two tasks at the ends, each in the way that is cheapest there.
struct WholeCosts {
  std::vector<BlockPattern> patterns;
  std::vector<double> joules;
};

WholeCosts costs_of(const PlacedGraph& graph) {
  WorkBetween block{TaskId{0}, static_cast<TaskId>(graph.tasks() - 1), {}};
  for (int t = 1; t + 1 < std::ssize(graph.ways); ++t) block.tasks.push_back(TaskId{t});
  const double watts = always_on_watts(graph.problem->platform());
  const BlockPatterns patterns(graph, fine_units, block);
  const auto price = static_cast<std::int64_t>(watts);
  REQUIRE(static_cast<double>(price) == watts);
  const std::vector<std::int64_t> least = patterns.least_at(price);
  const auto of_end = [&](TaskId task, MemoryId memory) {
    double best = 1e300;
    for (const PlacedWay& way : graph.ways[task]) {
      if (graph.memory_of(way.device) == memory)
        best = std::min(best, way.joules + watts * way.seconds);
    }
    return best;
  };
  WholeCosts whole{patterns.all(), {}};
  for (std::size_t p = 0; p < whole.patterns.size(); ++p) {
    whole.joules.push_back(static_cast<double>(least[p]) * fine_units.joules +
                           of_end(block.first, whole.patterns[p].first_memory) +
                           of_end(block.then, whole.patterns[p].then_memory));
  }
  return whole;
}

double least_of(const WholeCosts& costs) {
  return *std::min_element(costs.joules.begin(), costs.joules.end());
}

bool is_made_by(const BlockPattern& pattern, const PlacedGraph& graph,
                const PlacementChoice& choice) {
  for (std::size_t t = 0; t < pattern.devices.size(); ++t) {
    if (choice.device[t + 1] != pattern.devices[t]) return false;
  }
  return graph.memory_of(choice.device.front()) == pattern.first_memory &&
         graph.memory_of(choice.device.back()) == pattern.then_memory;
}

PlacementChoice random_choice(const PlacedGraph& graph, std::mt19937_64& random) {
  TaskOrder order;
  std::vector<DeviceId> devices;
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    order.push_back(static_cast<TaskId>(t));
    devices.push_back(static_cast<DeviceId>(random() % 2));
  }
  PlacementChoice choice = plain_choice(graph, order, devices);
  for (int& state : choice.state) state = static_cast<int>(random() % 2);
  for (char& repeats : choice.repeats) repeats = random() % 6 == 0 ? 1 : 0;
  for (AfterUse& after : choice.after) after = random() % 16 == 0 ? AfterUse::drop : AfterUse::keep;
  return choice;
}

}  // namespace

TEST_CASE("patterns of a fork cost no more than the best plan, and mostly the same",
          "[placement]") {
  int exact = 0;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    CAPTURE(seed);
    const Problem problem = fork_problem(seed, 3, false);
    const auto graph = placed_graph(problem);
    REQUIRE(graph);
    const double best = least_joules_without_memory(problem);
    const double least = least_of(costs_of(*graph));
    CHECK(least <= best * (1 + 1e-9));
    if (least >= best * (1 - 1e-5)) ++exact;
  }
  CHECK(exact >= 18);
}

TEST_CASE("no plan of a fork costs less than its pattern, with tasks that run again",
          "[placement]") {
  int of_known_pattern = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Problem problem = fork_problem(seed, 4, true);
    const auto graph = placed_graph(problem);
    REQUIRE(graph);
    const WholeCosts costs = costs_of(*graph);
    PlacedReplay replay(*graph);
    std::mt19937_64 random(seed);
    for (int k = 0; k < 1000; ++k) {
      CAPTURE(seed, k);
      const PlacementChoice choice = random_choice(*graph, random);
      REQUIRE(replay.make(choice));
      REQUIRE(replay.joules() >= least_of(costs) * (1 - 1e-9));
      const auto runs =
          std::count_if(replay.steps().begin(), replay.steps().end(),
                        [](const PlacedStep& step) { return step.task >= 0 && step.from < 0; });
      if (runs != std::ssize(graph->ways)) continue;  // which of two ended first is not known
      for (std::size_t p = 0; p < costs.patterns.size(); ++p) {
        if (!is_made_by(costs.patterns[p], *graph, choice)) continue;
        ++of_known_pattern;
        REQUIRE(replay.joules() >= costs.joules[p] * (1 - 1e-9));
      }
    }
  }
  CHECK(of_known_pattern > 1000);
}

TEST_CASE("patterns are left out where there are too many", "[placement]") {
  const Problem problem = fork_problem(0, 9, false);
  const auto graph = placed_graph(problem);
  REQUIRE(graph);
  WorkBetween block{TaskId{0}, TaskId{10}, {}};
  for (int t = 1; t < 10; ++t) block.tasks.push_back(TaskId{t});
  CHECK(!BlockPatterns::are_few(*graph, block));
  block.tasks.resize(4);
  CHECK(BlockPatterns::are_few(*graph, block));
  CHECK(BlockPatterns(*graph, fine_units, block).all().size() == 64);
}
