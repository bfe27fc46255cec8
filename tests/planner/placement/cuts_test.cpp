// Cuts, and what they say about plans on two devices.
#include <catch2/catch.hpp>
#include <limits>
#include <random>

#include "planner/placement/cut_bound.hpp"
#include "planner/placement/least_cut.hpp"
#include "planner/placement/two_sides.hpp"
#include "tests/planner/graphs/random_training.hpp"
#include "tests/planner/placement/exhaustive_placement.hpp"
#include "tests/planner/placement/two_memories.hpp"
#include "tests/planner/problems.hpp"

using namespace stint;

namespace {

TwoSides random_sides(std::uint64_t seed, int nodes) {
  std::mt19937_64 random(seed);
  const auto below = [&](int most) { return static_cast<double>(random() % most); };
  TwoSides problem;
  for (int n = 0; n < nodes; ++n) {
    problem.cost.push_back({below(10), below(10)});
    if (random() % 8 == 0)
      problem.cost.back()[random() % 2] = std::numeric_limits<double>::infinity();
  }
  for (int n = 0; n + 1 < nodes; ++n) {
    SideCrossing crossing{n, {}, {below(5), below(5)}, {}};
    for (int to = n + 1; to < nodes; ++to) {
      if (random() % 2 == 0) continue;
      crossing.to.push_back(to);
      for (auto& each : crossing.each) each.push_back(below(3));
    }
    problem.crossings.push_back(crossing);
  }
  return problem;
}

double cost_of(const TwoSides& problem, const std::vector<char>& side) {
  double cost = 0;
  for (std::size_t n = 0; n < side.size(); ++n) cost += problem.cost[n][side[n]];
  for (const SideCrossing& crossing : problem.crossings) {
    const char from = side[crossing.from];
    bool any = false;
    for (std::size_t i = 0; i < crossing.to.size(); ++i) {
      if (side[crossing.to[i]] == from) continue;
      any = true;
      cost += crossing.each[from][i];
    }
    if (any) cost += crossing.once[from];
  }
  return cost;
}

double least_cost(const TwoSides& problem) {
  double least = std::numeric_limits<double>::infinity();
  for (int bits = 0; bits < 1 << problem.cost.size(); ++bits) {
    std::vector<char> side;
    for (std::size_t n = 0; n < problem.cost.size(); ++n)
      side.push_back(static_cast<char>(bits >> n & 1));
    least = std::min(least, cost_of(problem, side));
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
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    const TwoSides problem = random_sides(seed, 3 + static_cast<int>(seed % 7));
    const SideChoice choice = cheapest_sides(problem);
    const double least = least_cost(problem);
    CHECK(cost_of(problem, choice.side) == Approx(least));
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
