#include "planner/bounds.hpp"

#include <catch2/catch.hpp>

#include "schedules/cost.hpp"
#include "tests/planner/problems.hpp"
#include "tests/support/chain_graph.hpp"

using namespace stint;

namespace {

// Four tasks of 1, 2, 3 and 4 seconds that do not depend on each other.
const char* const four = R"({"format": "stint-tasks", "version": 1, "name": "four",
 "tensors": [{"name": "a", "bytes": 1}, {"name": "b", "bytes": 1}, {"name": "c", "bytes": 1}, {"name": "d", "bytes": 1}],
 "tasks": [{"name": "A", "writes": ["a"], "seconds": {"cpu": 1}}, {"name": "B", "writes": ["b"], "seconds": {"cpu": 2}},
  {"name": "C", "writes": ["c"], "seconds": {"cpu": 3}}, {"name": "D", "writes": ["d"], "seconds": {"cpu": 4}}],
 "results": []})";

}  // namespace

TEST_CASE("a chain takes as long as its path", "[bounds]") {
  const Bound bound = time_bound(problem_of(chain_graph(5), plain_machine(4)));
  CHECK(bound.value == 11);
  CHECK(bound.by == "critical path");
}

TEST_CASE("independent tasks take as long as the work of all, shared, or the longest", "[bounds]") {
  CHECK(time_bound(problem_of(four, plain_machine(1))).value == 10);
  CHECK(time_bound(problem_of(four, plain_machine(2))).value == 5);
  CHECK(time_bound(problem_of(four, plain_machine(2))).by == "work");
  CHECK(time_bound(problem_of(four, plain_machine(4))).value == 4);
}

TEST_CASE("the chain on one worker costs 35 joules a second", "[bounds]") {
  CHECK(energy_bound(problem_of(chain_graph(5), plain_machine())).value == Approx(385));
}

TEST_CASE("with what is always on, the fast state is the frugal one, and without the slow one",
          "[bounds]") {
  // A second of work: 7 J + 28 J fast, or 2 s × (1 W + 28 W) slow.
  const Problem makespan = problem_of(chain_graph(5), with_slow_state(Settable::run));
  CHECK(energy_bound(makespan).value == Approx(11 * 35));
  Request request;
  request.deadline_seconds = 30;
  request.bill = Bill::deadline;
  const Problem fixed = problem_of(chain_graph(5), with_slow_state(Settable::run), request);
  CHECK(energy_bound(fixed).value == Approx(11 * 2 * 1 + 30 * 28));
}

TEST_CASE("states that cannot be chosen do not count", "[bounds]") {
  Platform platform = with_slow_state(Settable::run);
  platform.devices[0].settable = Settable::none;
  platform.devices[0].states[1].speed = 10.0;
  CHECK(time_bound(problem_of(chain_graph(5), platform)).value == 11);
}

TEST_CASE("active watts are shared by the workers of a device at best", "[bounds]") {
  Platform platform = plain_machine(2);
  platform.devices[0].active_watts = 4.0;
  // 10 s of work: 7 W busy and half of 4 W; 28 W for at least 5 s.
  CHECK(energy_bound(problem_of(four, platform)).value == Approx(10 * 9 + 5 * 28));
}

TEST_CASE("an update does not wait for readers of the old version in a bound", "[bounds]") {
  // A second buffer for w would let U run beside R.
  const char* const graph = R"({"format": "stint-tasks", "version": 1, "name": "state",
 "tensors": [{"name": "w", "bytes": 1, "kind": "state"}, {"name": "r", "bytes": 1}],
 "tasks": [{"name": "R", "reads": ["w"], "writes": ["r"], "seconds": {"cpu": 5}},
  {"name": "U", "updates": ["w"], "seconds": {"cpu": 3}}], "results": ["r"]})";
  CHECK(time_bound(problem_of(graph, plain_machine(2))).value == 5);
}

TEST_CASE("the bound of energy times delay is the product", "[bounds]") {
  Request request;
  request.objective = Objective::edp;
  CHECK(objective_bound(problem_of(chain_graph(5), plain_machine(), request)).value ==
        Approx(385 * 11));
}

TEST_CASE("a deadline that slow states miss raises the bound to what mixtures cost", "[bounds]") {
  // 11 s of work fast or 22 s slow, within 15 s: 7 s fast and 4 s of work slow, in 8 s.
  Request request;
  request.deadline_seconds = 15;
  request.bill = Bill::deadline;
  const Problem each = problem_of(chain_graph(5), with_slow_state(Settable::action), request);
  CHECK(energy_bound(each).value == Approx(7 * 7 + 8 * 1 + 15 * 28));
  // One state for all is fast.
  const Problem run = problem_of(chain_graph(5), with_slow_state(Settable::run), request);
  CHECK(energy_bound(run).value == Approx(11 * 7 + 15 * 28));
}

TEST_CASE("one state for a run costs at least what the best of them does", "[bounds]") {
  // Products are frugal in the slow state, everything else in the fast one: a run has to choose.
  Platform platform = with_slow_state(Settable::run);
  platform.nodes[0].base_watts = 0.0;
  platform.devices[0].idle_watts = 0.0;
  platform.devices[0].states[1].busy_watts_by_class["gemm"] = 100.0;
  Graph graph = chain_graph(5);
  graph.tasks[0].op = "linear.forward";
  REQUIRE(op_class(graph.tasks[0].op) == "gemm");
  CHECK(energy_bound(problem_of(graph, platform)).value == Approx(11 * 7));
  platform.devices[0].settable = Settable::action;
  CHECK(energy_bound(problem_of(graph, platform)).value == Approx(7 + 10 * 2));
}
