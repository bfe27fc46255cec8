// Cuts, and what they say about plans on two devices.
#include <catch2/catch.hpp>
#include <limits>
#include <random>

#include "planner/placement/cut_bound.hpp"
#include "planner/placement/least_cut.hpp"
#include "planner/placement/memory_row.hpp"
#include "planner/placement/placement_bound.hpp"
#include "planner/placement/side_row.hpp"
#include "planner/plan.hpp"
#include "planner/solver/cp_sat.hpp"
#include "tests/planner/graphs/random_training.hpp"
#include "tests/planner/placement/exhaustive_placement.hpp"
#include "tests/planner/placement/two_memories.hpp"
#include "tests/planner/problems.hpp"

using namespace stint;

namespace {

SideRow random_sides(std::uint64_t seed, int nodes, int sides) {
  std::mt19937_64 random(seed);
  const auto below = [&](int most) { return static_cast<double>(random() % most); };
  SideRow row;
  row.sides = sides;
  for (int n = 0; n < nodes; ++n) {
    auto& costs = row.cost.emplace_back();
    for (int side = 0; side < sides; ++side) costs.push_back(below(10));
    if (random() % 8 == 0) costs[random() % sides] = std::numeric_limits<double>::infinity();
  }
  for (int n = 0; n + 1 < nodes; ++n) {
    SideCrossing crossing{n, {}, {}};
    for (int to = n + 1; to < nodes; ++to) {
      if (random() % 2 == 0) crossing.to.push_back(to);
    }
    for (int border = 0; border + 1 < sides; ++border) {
      BorderCost cost{{below(5), below(5)}, {}};
      for (auto& each : cost.each) {
        for (std::size_t i = 0; i < crossing.to.size(); ++i) each.push_back(below(3));
      }
      crossing.borders.push_back(cost);
    }
    row.crossings.push_back(crossing);
  }
  return row;
}

double cost_at(const SideCrossing& crossing, int border, const std::vector<char>& side) {
  const int back = side[crossing.from] > border ? 1 : 0;
  double cost = 0;
  bool any = false;
  for (std::size_t i = 0; i < crossing.to.size(); ++i) {
    if ((side[crossing.to[i]] > border ? 1 : 0) == back) continue;
    any = true;
    cost += crossing.borders[border].each[back][i];
  }
  return any ? cost + crossing.borders[border].once[back] : cost;
}

double cost_of(const SideRow& row, const std::vector<char>& side) {
  double cost = 0;
  for (std::size_t n = 0; n < side.size(); ++n) cost += row.cost[n][side[n]];
  for (const SideCrossing& crossing : row.crossings) {
    for (int border = 0; border + 1 < row.sides; ++border) cost += cost_at(crossing, border, side);
  }
  return cost;
}

double least_cost(const SideRow& row) {
  std::vector<char> side(row.cost.size(), 0);
  double least = cost_of(row, side);
  for (std::size_t n = 0; n < side.size();) {
    if (++side[n] == row.sides) {
      side[n++] = 0;
      continue;
    }
    n = 0;
    least = std::min(least, cost_of(row, side));
  }
  return least;
}

double bound_of(const Problem& problem, int rounds = 60) {
  const auto graph = placed_graph(problem);
  REQUIRE(graph);
  const CutBound found = cut_bound(*graph, rounds, {});
  REQUIRE(found.bound);
  return found.bound->value;
}

}  // namespace

TEST_CASE("a network is cut where its arcs carry least", "[placement]") {
  CutNetwork network(4);
  network.add_arc(0, 1, 3), network.add_arc(0, 2, 2), network.add_arc(1, 2, 5);
  network.add_arc(1, 3, 2), network.add_arc(2, 3, 4);
  CHECK(network.cut(0, 3) == 5);
  CHECK(network.is_on_source_side(0));
  CHECK_FALSE(network.is_on_source_side(3));
}

TEST_CASE("the cheapest sides are those that trying all of them finds", "[placement]") {
  const int sides = GENERATE(2, 3, 4);
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed, sides);
    const SideRow row = random_sides(seed, 3 + static_cast<int>(seed % 5), sides);
    const SideChoice choice = cheapest_sides(row);
    const double least = least_cost(row);
    CHECK(cost_of(row, choice.side) == Approx(least));
    CHECK(choice.least <= least);
    CHECK(choice.least == Approx(least).epsilon(1e-6).margin(1e-6));
  }
}

TEST_CASE("no plan costs less than the cuts say", "[placement]") {
  double most = 0;
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    CAPTURE(seed);
    RandomTrainingOptions options;
    options.layers = 2;
    const Graph graph = on_two_devices(random_training(seed, options), seed);
    TwoMemoriesOptions machine;
    machine.states = 1 + static_cast<int>(seed % 2);
    machine.bytes_per_second = seed % 3 == 0 ? 0.5 : 10;
    const Problem problem = problem_of(graph, two_memories(machine));
    const double least = least_joules_without_memory(problem);
    const double bound = bound_of(problem);
    CHECK(bound <= least * (1 + 1e-9));
    most = std::max(most, (least - bound) / least);
  }
  CHECK(most < 0.1);
}

TEST_CASE("on a chain the cuts say exactly what the best plan costs", "[placement]") {
  const Graph graph = parse_graph(R"({"format": "stint-tasks", "version": 1, "name": "chain",
 "tensors": [{"name": "a", "bytes": 10}, {"name": "b", "bytes": 10}, {"name": "c", "bytes": 2}, {"name": "d", "bytes": 1}],
 "tasks": [{"name": "A", "writes": ["a"], "seconds": {"gpu": 5, "cpu": 4}},
           {"name": "B", "reads": ["a"], "writes": ["b"], "seconds": {"gpu": 1, "cpu": 40}},
           {"name": "C", "reads": ["b"], "writes": ["c"], "seconds": {"gpu": 1, "cpu": 30}},
           {"name": "D", "reads": ["c"], "writes": ["d"], "seconds": {"gpu": 9, "cpu": 2}}],
 "results": ["d"]})",
                                  "chain");
  const Problem problem = problem_of(graph, two_memories());
  CHECK(bound_of(problem, 5) == Approx(least_joules_without_memory(problem)).epsilon(1e-6));
}

TEST_CASE("with an accelerator on either side of the host no plan costs less than the cuts say",
          "[placement]") {
  if (!has_cp_sat()) return;
  double most = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    RandomTrainingOptions options;
    options.layers = 2;
    const Graph graph = on_two_devices(random_training(seed, options), seed);
    Platform platform = two_gpus();
    for (Link& link : platform.links) link.bytes_per_second = seed % 3 == 0 ? 1 : 20;
    Request request;
    request.strategy = "placement";
    request.limit = 0.05;
    const Problem problem = problem_of(graph, platform, request);
    const Outcome outcome = plan(problem, {});
    REQUIRE(outcome.schedule);
    const double value = outcome.schedule->predicted.objective.value;
    const double bound = bound_of(problem);
    CHECK(bound <= value * (1 + 1e-9));
    most = std::max(most, (value - bound) / value);
  }
  CHECK(most < 0.1);
}

TEST_CASE("what goes from one accelerator to the other is paid for twice in the row",
          "[placement]") {
  const Platform platform = two_gpus();
  const MemoryRow row(platform, {{MemoryId{1}}, {MemoryId{0}}, {MemoryId{2}}});
  for (const BorderPrice& border : row.prices(3000)) {
    CHECK(border[0].seconds == Approx(3));
    CHECK(border[1].seconds == Approx(3));
  }
}

TEST_CASE("a way that is shared or shorter makes the borders of a row cheaper", "[placement]") {
  Platform platform = two_gpus();
  for (Link& link : platform.links) link.joules_per_byte = 1;
  Link between = platform.links.front();
  between.from = MemoryId{1}, between.to = MemoryId{2}, between.joules_per_byte = 0.5;
  platform.links.push_back(between);
  const MemoryRow row(platform, {{MemoryId{1}}, {MemoryId{0}}, {MemoryId{2}}});
  const auto prices = row.prices(100);
  CHECK(prices[0][0].joules + prices[1][0].joules == Approx(50));   // over the new link
  CHECK(prices[0][1].joules + prices[1][1].joules == Approx(200));  // through the host
  CHECK(prices[0][1].joules + prices[1][0].joules <= 150 + 1e-9);   // to one, and on to the other
}

TEST_CASE("work adds up over stretches that follow each other", "[placement]") {
  // Four tasks that only the processor runs between two that all others come before or after, and
  // four that only the accelerator runs behind them: 1 s each.
  Graph graph;
  const auto add = [&](const std::vector<int>& reads, const std::string& kind) {
    Tensor tensor;
    tensor.name = "t" + std::to_string(graph.tensors.size());
    tensor.bytes = 1;
    graph.tensors.push_back(tensor);
    Task task;
    task.name = "T" + std::to_string(graph.tasks.size());
    for (const int read : reads) task.reads.push_back(static_cast<TensorId>(read));
    task.writes = {static_cast<TensorId>(graph.tensors.size() - 1)};
    task.seconds[kind] = 1;
    graph.tasks.push_back(task);
  };
  add({}, "cpu");
  for (int t = 0; t < 4; ++t) add({0}, "cpu");
  add({1, 2, 3, 4}, "gpu");
  for (int t = 0; t < 4; ++t) add({5}, "gpu");
  add({6, 7, 8, 9}, "gpu");
  Request request;
  request.objective = Objective::time;
  TwoMemoriesOptions machine;
  machine.states = 1;
  machine.bytes_per_second = 1e9;
  CHECK(bound_of(problem_of(graph, two_memories(machine), request)) == Approx(11).epsilon(1e-6));
}

TEST_CASE("a step is as long as all that its links carry", "[placement]") {
  // Ten tasks on the processor, each of which sends 10 bytes at 1 byte a second to one on the
  // accelerator.
  Graph graph;
  for (int t = 0; t < 20; ++t) {
    Tensor tensor;
    tensor.name = "t" + std::to_string(t);
    tensor.bytes = 10;
    graph.tensors.push_back(tensor);
    Task task;
    task.name = "T" + std::to_string(t);
    if (t >= 10) task.reads = {static_cast<TensorId>(t - 10)};
    task.writes = {static_cast<TensorId>(t)};
    task.seconds[t < 10 ? "cpu" : "gpu"] = 0.01;
    graph.tasks.push_back(task);
  }
  Request request;
  request.objective = Objective::time;
  TwoMemoriesOptions machine;
  machine.states = 1;
  machine.bytes_per_second = 1;
  const Problem problem = problem_of(graph, two_memories(machine), request);
  CHECK(bound_of(problem) == Approx(100).epsilon(1e-3));
  if (!has_cp_sat()) return;
  const auto relaxed = placement_bound(*placed_graph(problem), {}, {}).bound;
  REQUIRE(relaxed);
  CHECK(relaxed->value == Approx(100).epsilon(1e-3));
}
