#include "planner/order.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/planner/problems.hpp"
#include "tests/support/random_graph.hpp"

using namespace stint;

namespace {

bool respects(const TaskOrder& order, const Problem& problem) {
  std::vector<int> place(order.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<int>(i);
  if (std::find(place.begin(), place.end(), -1) != place.end()) return false;
  for (std::size_t t = 0; t < order.size(); ++t) {
    for (const TaskId earlier : problem.before[t]) {
      if (place[earlier] >= place[t]) return false;
    }
  }
  return true;
}

std::vector<std::string> names(const TaskOrder& order, const Problem& problem) {
  std::vector<std::string> list;
  for (const TaskId task : order) list.push_back(problem.graph().tasks[task].name);
  return list;
}

// Two branches: each makes 9 bytes and boils them down to 1; then both are joined.
const char* const branches = R"({"format": "stint-tasks", "version": 1, "name": "branches",
 "tensors": [{"name": "a", "bytes": 9}, {"name": "b", "bytes": 9}, {"name": "x", "bytes": 1},
  {"name": "y", "bytes": 1}, {"name": "z", "bytes": 1}],
 "tasks": [{"name": "A", "writes": ["a"], "seconds": {"cpu": 1}},
  {"name": "B", "writes": ["b"], "seconds": {"cpu": 2}},
  {"name": "X", "reads": ["a"], "writes": ["x"], "seconds": {"cpu": 1}},
  {"name": "Y", "reads": ["b"], "writes": ["y"], "seconds": {"cpu": 1}},
  {"name": "Z", "reads": ["x", "y"], "writes": ["z"], "seconds": {"cpu": 1}}],
 "results": ["z"]})";

}  // namespace

TEST_CASE("every order takes up each task once, after what it depends on", "[order]") {
  const int seed = GENERATE(range(0, 60));
  CAPTURE(seed);
  RandomGraphOptions options;
  options.tasks = 25;
  const Problem problem = problem_of(random_graph(seed, options), plain_machine());
  CHECK(respects(listed_order(problem), problem));
  CHECK(respects(least_memory_order(problem), problem));
  CHECK(respects(depth_first_order(problem), problem));
  CHECK(respects(critical_path_order(problem, problem.seconds[0]), problem));
}

TEST_CASE("depth first and least memory finish one branch before the other", "[order]") {
  const Problem problem = problem_of(branches, plain_machine());
  CHECK(names(depth_first_order(problem), problem) ==
        std::vector<std::string>{"A", "X", "B", "Y", "Z"});
  CHECK(names(least_memory_order(problem), problem) ==
        std::vector<std::string>{"A", "X", "B", "Y", "Z"});
}

TEST_CASE("the critical path comes first", "[order]") {
  const Problem problem = problem_of(branches, plain_machine());
  CHECK(names(critical_path_order(problem, problem.seconds[0]), problem) ==
        std::vector<std::string>{"B", "A", "X", "Y", "Z"});
}
