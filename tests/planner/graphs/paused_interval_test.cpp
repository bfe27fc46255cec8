// Memory counted while tasks run between moments, with all that waits for them: never more than is
// so, against a search over everything that can happen; by both solvers.
#include "planner/graphs/paused_interval.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "planner/graphs/free_moments.hpp"
#include "planner/memory_bound.hpp"
#include "planner/solver/highs.hpp"
#include "tests/planner/chains/task_search.hpp"
#include "tests/planner/graphs/random_training.hpp"
#include "tests/planner/problems.hpp"

using namespace stint;

namespace {

constexpr double units = 1e6;  // of a second

// What M1 writes could be there while C runs again for W, or be written after it by M1, if what
// that reads, which is larger, is there instead.
const char* const detour_text = R"({"format": "stint-tasks", "version": 1, "name": "detour",
 "tensors": [{"name": "q", "bytes": 5}, {"name": "p", "bytes": 3}, {"name": "c", "bytes": 4}, {"name": "f", "bytes": 1}, {"name": "d", "bytes": 3}, {"name": "w", "bytes": 1}, {"name": "e", "bytes": 1}, {"name": "r", "bytes": 1}],
 "tasks": [{"name": "Q", "writes": ["q"], "seconds": {"cpu": 100}},
           {"name": "P", "writes": ["p"], "seconds": {"cpu": 2}},
           {"name": "C", "reads": ["p"], "writes": ["c"], "seconds": {"cpu": 10}},
           {"name": "F", "reads": ["c", "q"], "writes": ["f"], "seconds": {"cpu": 1}},
           {"name": "M1", "reads": ["q", "f"], "writes": ["d"], "seconds": {"cpu": 1}},
           {"name": "W", "reads": ["c", "d"], "writes": ["w"], "seconds": {"cpu": 1}},
           {"name": "M2", "reads": ["d"], "writes": ["e"], "seconds": {"cpu": 1}},
           {"name": "E", "reads": ["w", "e"], "writes": ["r"], "seconds": {"cpu": 1}}],
 "results": ["r"]})";

MomentProblem master_of(const Problem& problem, const DeviceGraph& graph,
                        const std::vector<TaskId>& moments) {
  MomentProblem master;
  master.graph = &graph;
  for (const double seconds : problem.seconds[0])
    master.costs.push_back(std::llround(seconds * units));
  master.moments = moments;
  master.first = first_runs_in_any_order(problem, moments);
  master.capacity_bytes = graph.capacity_bytes;
  master.is_bound = true;
  return master;
}

std::vector<TaskId> readers_of(const DeviceGraph& graph, TaskId writer) {
  std::vector<TaskId> readers;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    for (const GraphOutput& output : graph.tasks[writer].writes) {
      const auto& reads = graph.tasks[t].reads;
      if (std::find(reads.begin(), reads.end(), output.item) != reads.end())
        readers.push_back(static_cast<TaskId>(t));
    }
  }
  return readers;
}

// Every task in every interval, for each of its readers, and for who reads what that one writes.
std::vector<CountedRun> all_runs(const DeviceGraph& graph, int intervals) {
  std::vector<CountedRun> all;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    const auto task = static_cast<TaskId>(t);
    all.push_back({task, 1, intervals, {}});
    for (const TaskId reader : readers_of(graph, task)) {
      const auto next = readers_of(graph, reader);
      all.push_back({task, 1, intervals, {reader}});
      if (!next.empty()) all.back().readers.push_back(next.front());
    }
  }
  return all;
}

CpOptions much_work() {
  CpOptions options;
  options.work = 20;
  options.strong_relaxation = true;
  return options;
}

}  // namespace

TEST_CASE("who reads what a run writes waits beside it with all that it has from before",
          "[graph]") {
  if (!has_cp_sat()) return;
  const bool by_highs = GENERATE(false, true);
  const auto least = [&](std::int64_t bytes, const std::vector<TaskId>& readers) {
    const Problem problem = problem_of(detour_text, plain_machine(), within("n0/ram", bytes));
    const DeviceGraph graph = *device_graph(problem, DeviceId{0});
    MomentProblem master = master_of(problem, graph, {TaskId{4}, TaskId{6}, TaskId{7}});
    master.counted = {{TaskId{2}, 1, 2, readers}};
    master.by_highs = by_highs;
    return static_cast<double>(solve_moments(master, much_work(), 0).bound) / units;
  };
  CAPTURE(by_highs);
  CHECK(least(10, {}) == Approx(12));  // C and P again
  CHECK(least(10, {TaskId{5}}) == Approx(12));
  CHECK(least(9, {}) == Approx(12));  // W after M2, as if d were nowhere meanwhile
  CHECK(least(9, {TaskId{5}}) > 99);  // d waits for C, or what M1 writes it from anew
}

TEST_CASE("with every run counted, bounds stay below what the best plan computes again",
          "[graph]") {
  if (!has_cp_sat()) return;
  int bounds = 0;
  int better = 0;  // than without counting
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    CAPTURE(seed);
    RandomTrainingOptions options;
    options.layers = 3 + static_cast<int>(seed % 2);
    options.with_workspace = seed % 3 == 1;
    const Graph tasks = random_training(seed, options);
    const std::int64_t least = memory_bound(problem_of(tasks, plain_machine()), MemoryId{0}).bytes;
    for (std::int64_t bytes = least; bytes <= least + 6; bytes += 3) {
      const auto best = least_seconds(tasks, bytes);
      const Problem problem = problem_of(tasks, plain_machine(), within("n0/ram", bytes));
      const auto graph = device_graph(problem, DeviceId{0});
      std::vector<TaskId> moments = in_sequence(problem, listed_order(problem));
      for (std::size_t m = 0; m < moments.size(); ++m) moments.erase(moments.begin() + m);
      MomentProblem master = master_of(problem, *graph, moments);
      const MomentSolution plain = solve_moments(master, much_work(), 0);
      master.counted = all_runs(*graph, static_cast<int>(moments.size()) - 1);
      for (const bool by_highs : {false, true}) {
        CAPTURE(bytes, by_highs);
        master.by_highs = by_highs;
        const MomentSolution counted = solve_moments(master, much_work(), 0);
        if (!best) continue;
        double once = 0;
        for (const double seconds : problem.seconds[0]) once += seconds;
        REQUIRE(counted.status != CpStatus::infeasible);
        CHECK(static_cast<double>(counted.bound) <= (*best - once) * units + 1);
        CHECK(counted.bound >= plain.bound - std::abs(plain.bound) / 100000 - 20);
        ++bounds;
        if (counted.bound > plain.bound + 100) ++better;
      }
    }
  }
  CHECK(bounds > 100);
  CHECK(better > 0);
}
