#include "planner/graphs/moments.hpp"

#include <catch2/catch.hpp>

#include "planner/graphs/free_moments.hpp"
#include "tests/planner/problems.hpp"

using namespace stint;

namespace {

// A fork: A feeds B and C, D joins them.
const char* const fork_text = R"({"format": "stint-tasks", "version": 1, "name": "fork",
 "tensors": [{"name": "a", "bytes": 4}, {"name": "b", "bytes": 4}, {"name": "c", "bytes": 4}, {"name": "d", "bytes": 1}],
 "tasks": [{"name": "A", "writes": ["a"], "seconds": {"cpu": 3}},
           {"name": "B", "reads": ["a"], "writes": ["b"], "seconds": {"cpu": 5}},
           {"name": "C", "reads": ["a"], "writes": ["c"], "workspace_bytes": 4, "seconds": {"cpu": 7}},
           {"name": "D", "reads": ["b", "c"], "writes": ["d"], "seconds": {"cpu": 1}}],
 "results": ["d"]})";

struct Fork {
  Problem problem = problem_of(fork_text, plain_machine());
  DeviceGraph graph = *device_graph(problem, DeviceId{0});

  MomentSolution solve(std::vector<TaskId> moments, FirstRuns first, std::int64_t bytes) const {
    MomentProblem master;
    master.graph = &graph;
    master.costs = {3, 5, 7, 1};
    master.moments = std::move(moments);
    master.first = std::move(first);
    master.capacity_bytes = bytes;
    return solve_moments(master, {}, 0);
  }
};

}  // namespace

TEST_CASE("in an order every task has its interval, in none those that dependencies leave",
          "[graph]") {
  const Problem problem = problem_of(fork_text, plain_machine());
  const FirstRuns listed = first_runs_in_order(listed_order(problem), {TaskId{2}});
  CHECK(listed.earliest == std::vector<int>{0, 0, 0, 1});
  CHECK(listed.latest == listed.earliest);
  const FirstRuns any = first_runs_in_any_order(problem, {TaskId{2}});
  CHECK(any.earliest == std::vector<int>{0, 0, 0, 1});
  CHECK(any.latest == std::vector<int>{0, 1, 0, 1});  // B may come before or after C
}

TEST_CASE("only tasks that depend on each other are moments of one bound", "[graph]") {
  const Problem problem = problem_of(fork_text, plain_machine());
  CHECK(in_sequence(problem, {TaskId{3}, TaskId{1}, TaskId{2}, TaskId{0}}) ==
        std::vector<TaskId>{TaskId{0}, TaskId{1}, TaskId{3}});
}

TEST_CASE("the master pays for what does not fit at its moment, and an order costs more than none",
          "[graph]") {
  if (!has_cp_sat()) return;
  const Fork fork_graph;
  const std::vector<TaskId> at_c{TaskId{2}};
  const auto listed = first_runs_in_order(listed_order(fork_graph.problem), at_c);
  const auto any = first_runs_in_any_order(fork_graph.problem, at_c);
  // While C runs: a, c, workspace, and b if it was kept.
  CHECK(fork_graph.solve(at_c, listed, 16).value == 0);
  CHECK(fork_graph.solve(at_c, listed, 15).value == 5);  // B again; a is still there
  CHECK(fork_graph.solve(at_c, listed, 15).bound == 5);
  CHECK(fork_graph.solve(at_c, any, 15).value == 0);  // B after C
  CHECK(fork_graph.solve(at_c, any, 11).status == CpStatus::infeasible);
}

TEST_CASE("without an order, moments come from where replays exceed the memory", "[graph]") {
  if (!has_cp_sat()) return;
  const Fork fork_graph;
  MomentProblem master;
  master.graph = &fork_graph.graph;
  master.costs = {3, 5, 7, 1};
  FreeMomentOptions options;
  options.order = listed_order(fork_graph.problem);
  options.spare_times = [](const std::vector<TaskId>&) { return std::vector<SpareTime>{}; };
  // D, after all others, says nothing of C, which needs 12 bytes.
  master.capacity_bytes = 11;
  CHECK(generate_free_moments(fork_graph.problem, master, options).is_infeasible);
  master.capacity_bytes = 12;
  const FreeMoments found = generate_free_moments(fork_graph.problem, master, options);
  CHECK_FALSE(found.is_infeasible);
  CHECK(found.bound == 0);  // B after C
  // The solution is a plan, and so the best.
  CHECK(found.sequence == TaskSequence{TaskId{0}, TaskId{2}, TaskId{1}, TaskId{3}});
}

TEST_CASE("memory is counted while a task runs between two moments, beside what stays", "[graph]") {
  if (!has_cp_sat()) return;
  // While W runs there is no room for k, which E reads; nothing else is in its way.
  const Problem problem = problem_of(
      R"({"format": "stint-tasks", "version": 1, "name": "beside",
 "tensors": [{"name": "k", "bytes": 6}, {"name": "x", "bytes": 1}, {"name": "w", "bytes": 1}, {"name": "y", "bytes": 1}, {"name": "e", "bytes": 1}],
 "tasks": [{"name": "K", "writes": ["k"], "seconds": {"cpu": 100}},
           {"name": "M", "reads": ["k"], "writes": ["x"], "seconds": {"cpu": 1}},
           {"name": "W", "reads": ["x"], "writes": ["w"], "workspace_bytes": 6, "seconds": {"cpu": 1}},
           {"name": "N", "reads": ["x"], "writes": ["y"], "seconds": {"cpu": 1}},
           {"name": "E", "reads": ["k", "w", "y"], "writes": ["e"], "seconds": {"cpu": 1}}],
 "results": ["e"]})",
      plain_machine());
  const DeviceGraph graph = *device_graph(problem, DeviceId{0});
  MomentProblem master;
  master.graph = &graph;
  master.costs = {100, 1, 1, 1, 1};
  master.moments = {TaskId{1}, TaskId{3}, TaskId{4}};
  master.first = first_runs_in_any_order(problem, master.moments);
  master.is_bound = true;
  master.capacity_bytes = 13;
  CHECK(solve_moments(master, {}, 0).value == 0);
  master.counted = {{TaskId{2}, 1, 2}};
  CHECK(solve_moments(master, {}, 0).value == 100);
  master.capacity_bytes = 14;
  CHECK(solve_moments(master, {}, 0).value == 0);

  FreeMomentOptions options;
  options.order = listed_order(problem);
  options.spare_times = [](const std::vector<TaskId>&) { return std::vector<SpareTime>{}; };
  master.capacity_bytes = 13;
  CHECK(generate_free_moments(problem, master, options).bound == 100);
  options.enough = 60;  // no plan costs less than that: it needs to prove no more
  CHECK(generate_free_moments(problem, master, options).bound == 60);
}

TEST_CASE("state that is away at a moment comes back, and copies take turns", "[graph]") {
  if (!has_cp_sat()) return;
  const Fork fork_graph;
  MomentProblem master;
  master.graph = &fork_graph.graph;
  master.costs = {3, 5, 7, 1};
  master.moments = {TaskId{2}};
  master.first = first_runs_in_any_order(fork_graph.problem, master.moments);
  master.is_bound = true;
  master.capacity_bytes = 16;  // 12 for C
  master.states = {{4, {2, 3, 10, 20}, {TaskId{0}}}};
  CHECK(solve_moments(master, {}, 0).value == 0);
  master.states.front().bytes = 5;
  CHECK(solve_moments(master, {}, 0).value == 5);
  master.states.front().users = {TaskId{0}, TaskId{2}};
  CHECK(solve_moments(master, {}, 0).status == CpStatus::infeasible);

  master.states.front().users = {TaskId{0}};
  master.time_costs = {0, 0, 0, 0};
  master.spare_times = {{0, 0}};
  const std::vector<std::int64_t> none(4, 0);
  master.link_time = LinkTime{true, 24, none, none, none};
  CHECK(solve_moments(master, {}, 0).value == 5 + 10 + 20 - 24);
  master.link_time->is_one_channel = false;
  CHECK(solve_moments(master, {}, 0).value == 5);
  // It is first of use to A, and there are 8 to go after its 20; it is saved after 17.
  master.link_time->rest = {8, 0, 0, 0};
  CHECK(solve_moments(master, {}, 0).value == 5 + 20 + 8 - 24);
  master.states.front().updater = TaskId{0};
  master.link_time->end = {17, 0, 0, 0};
  master.link_time->rest = none;
  CHECK(solve_moments(master, {}, 0).value == 5 + 17 + 10 - 24);
  // Of use to A and to D, it is fetched for each, for D not before C.
  master.states.front().users = {TaskId{0}, TaskId{3}};
  master.link_time.reset();
  CHECK(solve_moments(master, {}, 0).value == 2 + 2 * 3);
  master.link_time = LinkTime{false, 24, {0, 0, 15, 0}, none, none};
  CHECK(solve_moments(master, {}, 0).value == 2 + 2 * 3 + std::max(20 + 20, 15 + 20) - 24);
}
