// The strategy graph on small random graphs, against a search over everything that can happen.
#include <catch2/catch.hpp>

#include "planner/memory_bound.hpp"
#include "planner/plan.hpp"
#include "schedules/validate.hpp"
#include "tests/planner/chains/task_search.hpp"
#include "tests/planner/graphs/random_training.hpp"
#include "tests/planner/problems.hpp"
#include "tests/support/random_graph.hpp"

using namespace stint;

namespace {

Request graph_within(std::int64_t bytes) {
  Request request = within("n0/ram", bytes);
  request.strategy = "graph";
  request.limit = 0.2;
  return request;
}

// Every amount of memory between the largest task and everything at once, in some steps.
template <typename Check>
void for_memories(const Graph& graph, Check check) {
  const Problem free = problem_of(graph, plain_machine());
  const std::int64_t least = memory_bound(free, MemoryId{0}).bytes;
  const std::int64_t most = least * 2 + 6;
  for (std::int64_t bytes = least; bytes <= most; bytes += std::max<std::int64_t>(1, least / 4))
    check(bytes);
}

struct Count {
  int plans = 0;
  int possible = 0;
  int optimal = 0;
  int claimed = 0;
};

// What is claimed about the graph holds for the best that there is.
void check_against_search(const Graph& graph, Count& count) {
  for_memories(graph, [&](std::int64_t bytes) {
    const auto best = least_seconds(graph, bytes);
    const Outcome outcome = plan(problem_of(graph, plain_machine(), graph_within(bytes)), {});
    CAPTURE(bytes);
    if (best) ++count.possible;
    if (!outcome.schedule) {
      CHECK((outcome.status != Status::infeasible || !best));
      return;
    }
    REQUIRE(best);
    ++count.plans;
    const Proof& proof = outcome.schedule->predicted.objective;
    CHECK(validate(*outcome.schedule).empty());
    CHECK(proof.lower_bound <= *best * plain_machine_watts * (1 + 1e-9));
    CHECK(proof.value >= *best * plain_machine_watts * (1 - 1e-9));
    if (proof.value <= *best * plain_machine_watts * (1 + 1e-9)) ++count.optimal;
    if (outcome.schedule->predicted.optimal) ++count.claimed;
  });
}

}  // namespace

TEST_CASE("bounds and plans of small training graphs stand on the two sides of the optimum",
          "[graph]") {
  Count count;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    RandomTrainingOptions options;
    options.layers = 4;
    options.with_workspace = seed % 2 == 1;
    check_against_search(random_training(seed, options), count);
  }
  CAPTURE(count.possible, count.plans, count.optimal, count.claimed);
  CHECK(count.plans >= count.possible * 9 / 10);
  CHECK(count.optimal >= count.plans * 9 / 10);
  CHECK(count.claimed >= count.plans / 2);
}

TEST_CASE("the same for thousands of graphs", "[.many]") {
  Count count;
  for (std::uint64_t seed = 100; seed < 1100; ++seed) {
    CAPTURE(seed);
    RandomTrainingOptions options;
    options.layers = 3 + static_cast<int>(seed % 2);
    options.with_workspace = seed % 3 == 1;
    options.with_updates = seed % 5 == 1 && options.layers == 3;
    check_against_search(random_training(seed, options), count);
  }
  WARN(count.possible << " possible, " << count.plans << " planned, " << count.optimal
                      << " optimal, " << count.claimed << " proved");
}

TEST_CASE("a task whose state has been updated is never computed again", "[graph]") {
  Count count;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    CAPTURE(seed);
    RandomTrainingOptions options;
    options.layers = 3;
    options.with_updates = true;
    check_against_search(random_training(seed, options), count);
  }
  CHECK(count.plans > 0);
}

TEST_CASE("small graphs without the shape of training are bounded too", "[graph]") {
  Count count;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    RandomGraphOptions options;
    options.tasks = 7;
    options.with_parts = false;
    options.with_overwrite = false;
    options.with_state = false;
    check_against_search(random_graph(seed, options), count);
  }
  CHECK(count.plans > 0);
}

TEST_CASE("graphs with parts, overwriting and optional outputs get plans that hold", "[graph]") {
  int plans = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    const Graph graph = random_graph(seed, {});
    for_memories(graph, [&](std::int64_t bytes) {
      const Outcome outcome = plan(problem_of(graph, plain_machine(), graph_within(bytes)), {});
      if (!outcome.schedule) return;
      ++plans;
      CHECK(validate(*outcome.schedule).empty());
      CHECK(outcome.schedule->arenas.at("n0/ram") <= bytes);
    });
  }
  CHECK(plans > 40);
}

TEST_CASE("an item leaves the memory and comes back if that costs less than computing it again",
          "[graph]") {
  // A writes what D reads; between them B and C need the memory.
  const std::string text = R"({"format": "stint-tasks", "version": 1, "name": "away",
 "tensors": [{"name": "a", "bytes": 10}, {"name": "b", "bytes": 10}, {"name": "c", "bytes": 2}, {"name": "d", "bytes": 1}],
 "tasks": [{"name": "A", "writes": ["a"], "seconds": {"cpu": 5}},
           {"name": "B", "reads": ["a"], "writes": ["b"], "seconds": {"cpu": 4}},
           {"name": "C", "reads": ["b"], "writes": ["c"], "workspace_bytes": 10, "seconds": {"cpu": 4}},
           {"name": "D", "reads": ["a", "c"], "writes": ["d"], "seconds": {"cpu": 1}}],
 "results": ["d"]})";
  Platform platform = plain_machine();
  Memory disk = platform.memories[0];
  disk.name = "disk";
  disk.kind = MemoryKind::storage;
  platform.memories.push_back(disk);
  // Computing A again takes 5 s at 35 W. Away and back cost 20 bytes, and D waits a second for the
  // last of them, at 28 W: so they are equal at (175 - 28) / 20 joules per byte.
  const double equal = 7.35;
  const double joules_per_byte = GENERATE(0.01, 7.3, 7.4, 100.0);
  for (const int from : {0, 1}) {
    Link link;
    link.from = static_cast<MemoryId>(from);
    link.to = static_cast<MemoryId>(1 - from);
    link.bytes_per_second = 10;
    link.joules_per_byte = joules_per_byte;
    platform.links.push_back(link);
  }
  const Outcome outcome = plan(problem_of(text, platform, graph_within(22)), {});
  REQUIRE(outcome.schedule);
  const Predicted& predicted = outcome.schedule->predicted;
  CHECK((predicted.copied_bytes > 0) == (joules_per_byte < equal));
  CHECK((predicted.recomputed > 0) == (joules_per_byte > equal));
  CHECK(predicted.joules == Approx(14 * 35 + std::min(20 * joules_per_byte + 28, 175.0)));
  CHECK(predicted.objective.lower_bound <= predicted.objective.value);
}
