// Bounds of large graphs by HiGHS: a gradient of a weight that takes most of the memory may be
// computed in any interval, and is counted in all of them.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "planner/graphs/free_moments.hpp"
#include "planner/solver/highs.hpp"
#include "tests/planner/chains/task_search.hpp"
#include "tests/planner/problems.hpp"

using namespace stint;

namespace {

constexpr double microseconds = 1e6;  // of a second

// Three layers, scores that take much to compute and to hold, and W, the gradient of their weights,
// which takes even more, and which nobody waits for until the end. Around it as many tasks without
// bytes as are wanted.
std::string tied_scores(int others) {
  std::string tensors;
  std::string tasks;
  for (int i = 0; i < others; ++i) {
    tensors += fmt::format(R"({{"name": "o{}", "bytes": 0}}, )", i);
    const std::string reads = i == 0 ? "" : fmt::format("\"o{}\"", i - 1);
    tasks += fmt::format(
        R"({{"name": "O{}", "reads": [{}], "writes": ["o{}"], "seconds": {{"cpu": 0.001}}}}, )", i,
        reads, i);
  }
  return R"({"format": "stint-tasks", "version": 1, "name": "tied", "tensors": [)" + tensors +
         R"({"name": "x1", "bytes": 3}, {"name": "x2", "bytes": 3}, {"name": "x3", "bytes": 3},
  {"name": "n", "bytes": 1}, {"name": "s", "bytes": 10}, {"name": "g", "bytes": 10}, {"name": "w", "bytes": 8},
  {"name": "d3", "bytes": 1}, {"name": "d2", "bytes": 1}, {"name": "d1", "bytes": 1}, {"name": "d0", "bytes": 1}, {"name": "r", "bytes": 1}],
 "tasks": [)" +
         tasks +
         R"({"name": "X1", "writes": ["x1"], "seconds": {"cpu": 5}},
  {"name": "X2", "reads": ["x1"], "writes": ["x2"], "seconds": {"cpu": 6}},
  {"name": "X3", "reads": ["x2"], "writes": ["x3"], "seconds": {"cpu": 7}},
  {"name": "N", "reads": ["x3"], "writes": ["n"], "seconds": {"cpu": 0.1}},
  {"name": "S", "reads": ["n"], "writes": ["s"], "seconds": {"cpu": 20}},
  {"name": "G", "reads": ["s"], "writes": ["g"], "may_overwrite": {"g": "s"}, "seconds": {"cpu": 0.1}},
  {"name": "W", "reads": ["n", "g"], "writes": ["w"], "seconds": {"cpu": 20}},
  {"name": "B4", "reads": ["g"], "writes": ["d3"], "seconds": {"cpu": 20}},
  {"name": "B3", "reads": ["x3", "d3"], "writes": ["d2"], "seconds": {"cpu": 7}},
  {"name": "B2", "reads": ["x2", "d2"], "writes": ["d1"], "seconds": {"cpu": 6}},
  {"name": "B1", "reads": ["x1", "d1"], "writes": ["d0"], "seconds": {"cpu": 5}},
  {"name": "E", "reads": ["w", "d0"], "writes": ["r"], "seconds": {"cpu": 1}}],
 "results": ["r"]})";
}

double bound_of(const Problem& problem, double enough) {
  const DeviceGraph graph = *device_graph(problem, DeviceId{0});
  MomentProblem master;
  master.graph = &graph;
  for (const double seconds : problem.seconds[0])
    master.costs.push_back(std::llround(seconds * microseconds));
  master.capacity_bytes = graph.capacity_bytes;
  master.is_bound = true;
  FreeMomentOptions options;
  options.order = listed_order(problem);
  options.by_highs = true;
  options.enough = std::llround(enough * microseconds);
  options.spare_times = [](const std::vector<TaskId>&) { return std::vector<SpareTime>{}; };
  options.solver.work = 5;
  return static_cast<double>(generate_free_moments(problem, master, options).bound) / microseconds;
}

}  // namespace

TEST_CASE(
    "bounds of large graphs by HiGHS meet the optimum where a gradient takes most of the memory",
    "[graph]") {
  if (!has_highs()) return;
  const Problem small = problem_of(tied_scores(0), plain_machine());
  double once = 0;
  for (const double seconds : small.seconds[0]) once += seconds;
  for (std::int64_t bytes = 20; bytes <= 25; ++bytes) {
    CAPTURE(bytes);
    const auto best = least_seconds(small.graph(), bytes);
    REQUIRE(best);
    const Problem problem = problem_of(tied_scores(300), plain_machine(), within("n0/ram", bytes));
    const double bound = bound_of(problem, *best - once);
    CHECK(bound <= *best - once + 1e-3);
    CHECK(bound >= (*best - once) * 0.99 - 1e-3);
  }
}
