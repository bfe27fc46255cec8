// State that lives on a disk: plans that send it there against a search over everything that can
// happen, and what such plans look like.
#include "planner/graphs/state_away.hpp"

#include <catch2/catch.hpp>

#include "planner/graphs/graph_moves.hpp"
#include "planner/graphs/sequence.hpp"
#include "planner/memory_bound.hpp"
#include "planner/plan.hpp"
#include "schedules/validate.hpp"
#include "tests/planner/graphs/away_search.hpp"
#include "tests/planner/graphs/random_training.hpp"
#include "tests/planner/problems.hpp"

using namespace stint;

namespace {

constexpr double watts_of_work = 35;  // of plain_machine: 20 board, 8 idle, 7 busy

// The time of copies is nothing beside that of a task.
Platform with_disk(double joules_per_byte, double bytes_per_second = 1e12) {
  return beside_disk(plain_machine(), joules_per_byte, bytes_per_second);
}

Request graph_in(std::int64_t bytes, double limit = 0.2) {
  Request request = within("n0/ram", bytes);
  request.strategy = "graph";
  request.limit = limit;
  return request;
}

Graph trained(std::uint64_t seed) {
  RandomTrainingOptions options;
  options.layers = 2;
  options.with_updates = true;
  options.with_workspace = seed % 3 == 0;
  return random_training(seed, options);
}

// A layer with a large weight and a larger one: w is of use to F and U, v to G and V only.
constexpr const char* two_layers = R"({"format": "stint-tasks", "version": 1, "name": "two",
 "tensors": [{"name": "w", "bytes": 40, "kind": "state"}, {"name": "v", "bytes": 60, "kind": "state"},
             {"name": "x", "bytes": 5, "kind": "input"}, {"name": "y", "bytes": 5}, {"name": "z", "bytes": 5},
             {"name": "dv", "bytes": 60}, {"name": "dy", "bytes": 5}, {"name": "dw", "bytes": 40}],
 "tasks": [{"name": "F", "phase": "forward", "reads": ["x", "w"], "writes": ["y"], "seconds": {"cpu": 1}},
           {"name": "G", "phase": "forward", "reads": ["y", "v"], "writes": ["z"], "seconds": {"cpu": 1}},
           {"name": "gv", "phase": "backward", "reads": ["y", "z"], "writes": ["dv"], "seconds": {"cpu": 1}},
           {"name": "V", "phase": "update", "reads": ["dv"], "updates": ["v"], "seconds": {"cpu": 1}},
           {"name": "gy", "phase": "backward", "reads": ["z"], "writes": ["dy"], "seconds": {"cpu": 1}},
           {"name": "gw", "phase": "backward", "reads": ["dy", "x"], "writes": ["dw"], "seconds": {"cpu": 1}},
           {"name": "W", "phase": "update", "reads": ["dw"], "updates": ["w"], "seconds": {"cpu": 1}}]})";

int copies_of(const Schedule& schedule, const std::string& tensor, const std::string& to) {
  int count = 0;
  for (const Action& action : schedule.actions) {
    if (action.what != Do::copy) continue;
    const Buffer& written = schedule.buffers[action.writes.front()];
    if (schedule.graph.tensors[written.tensor].name == tensor &&
        memory_name(schedule.platform, written.memory) == to)
      ++count;
  }
  return count;
}

struct AwayCount {
  int possible = 0;
  int plans = 0;
  int best = 0;
  int proved = 0;
  int sent = 0;  // something, to the disk
};

// What is claimed about the graph holds for the best that there is.
void check_with_disk(std::uint64_t seed, std::int64_t bytes, AwayCount& count) {
  CAPTURE(seed, bytes);
  const Graph graph = trained(seed);
  const double joules_per_byte = seed % 2 == 0 ? 0.5 : 20;
  const auto best = least_cost_with_disk(graph, bytes, {watts_of_work, joules_per_byte});
  const Outcome outcome = plan(problem_of(graph, with_disk(joules_per_byte), graph_in(bytes)), {});
  if (best) ++count.possible;
  if (!outcome.schedule) {
    CHECK((outcome.status != Status::infeasible || !best));
    return;
  }
  REQUIRE(best);
  ++count.plans;
  CHECK(validate(*outcome.schedule).empty());
  const Predicted& predicted = outcome.schedule->predicted;
  CHECK(predicted.objective.lower_bound <= *best * (1 + 1e-7));
  CHECK(predicted.objective.value >= *best * (1 - 1e-7));
  const bool is_best = predicted.objective.value <= *best * (1 + 1e-7);
  CHECK((is_best || !predicted.optimal));
  count.best += is_best ? 1 : 0;
  count.proved += predicted.optimal ? 1 : 0;
  count.sent += predicted.copied_bytes > 0 ? 1 : 0;
}

void check_with_disk(std::uint64_t seed, AwayCount& count) {
  const std::int64_t least =
      memory_bound(problem_of(trained(seed), with_disk(1)), MemoryId{0}).bytes;
  for (std::int64_t bytes = least - 1; bytes <= 2 * least; bytes += 1 + least / 3)
    check_with_disk(seed, bytes, count);
}

}  // namespace

TEST_CASE("state that does not fit lives on the disk, and comes for its users only", "[graph]") {
  // V takes v and its gradient, 120, and something must be left of x and z for W; W takes 80. So
  // in 200 all state stays, in 165 w is away while V runs, in 130 each while the other is updated.
  const std::int64_t bytes = GENERATE(130, 165, 200);
  CAPTURE(bytes);
  const Outcome outcome = plan(problem_of(two_layers, with_disk(0.01), graph_in(bytes)), {});
  REQUIRE(outcome.schedule);
  const Schedule& schedule = *outcome.schedule;
  CHECK(validate(schedule).empty());
  CHECK(schedule.arenas.at("n0/ram") <= bytes);
  CHECK(copies_of(schedule, "w", "n0/disk") == (bytes < 200 ? 1 : 0));
  CHECK(copies_of(schedule, "v", "n0/disk") == (bytes < 165 ? 1 : 0));
  const auto best =
      least_cost_with_disk(parse_graph(two_layers, "two"), bytes, {watts_of_work, 0.01});
  CHECK(schedule.predicted.joules == Approx(*best).epsilon(1e-3));
}

TEST_CASE("without a plan that sends nothing away, what is asked for decides", "[graph]") {
  Request request = graph_in(130);
  request.offload = false;
  CHECK_FALSE(plan(problem_of(two_layers, with_disk(0.01), request), {}).schedule);
  const Outcome never = plan(problem_of(two_layers, with_disk(0.01), graph_in(119)), {});
  CHECK(never.status == Status::infeasible);  // V does not fit
}

TEST_CASE("state on a slow disk is fetched while others compute", "[graph]") {
  // 40 bytes take 1 s: the second fetch of w runs beside gv, V and gy; the first, and the way back
  // after the last task, beside nobody.
  const Platform platform = with_disk(0.01, 40);
  const Outcome outcome = plan(problem_of(two_layers, platform, graph_in(165 - 10)), {});
  REQUIRE(outcome.schedule);
  CHECK(validate(*outcome.schedule).empty());
  CHECK(outcome.schedule->predicted.seconds <= 7 + 2 + 1e-6);
}

TEST_CASE("plans and bounds stand on the two sides of the optimum where state may go to a disk",
          "[graph]") {
  AwayCount count;
  for (std::uint64_t seed = 0; seed < 10; ++seed) check_with_disk(seed, count);
  CAPTURE(count.possible, count.plans, count.best, count.sent);
  CHECK(count.plans >= count.possible * 9 / 10);
  CHECK(count.best >= count.plans * 8 / 10);
  CHECK(count.sent >= 5);
}

TEST_CASE("the same for hundreds of graphs with state", "[.many]") {
  AwayCount count;
  for (std::uint64_t seed = 100; seed < 300; ++seed) check_with_disk(seed, count);
  WARN(count.possible << " possible, " << count.plans << " planned, " << count.best << " best, "
                      << count.proved << " proved");
}
