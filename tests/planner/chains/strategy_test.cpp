// The strategy chain against a search over everything that can happen, and on the course's chain.

#include <catch2/catch.hpp>

#include "executor/run.hpp"
#include "planner/plan.hpp"
#include "tests/planner/chains/task_chains.hpp"
#include "tests/planner/chains/task_search.hpp"
#include "tests/planner/problems.hpp"
#include "tests/support/chain_graph.hpp"
#include "tests/support/reference_run.hpp"

using namespace stint;

namespace {

// Searching is slow where nothing is optimised.
#ifdef NDEBUG
constexpr std::uint64_t share = 1;
#else
constexpr std::uint64_t share = 2;
#endif

Outcome plan_within(const Graph& graph, std::int64_t bytes, const std::string& strategy = "chain") {
  Request request = within("n0/ram", bytes);
  request.strategy = strategy;
  return plan(problem_of(graph, plain_machine(), request), {});
}

Request chain_within(std::int64_t bytes) {
  Request request = within("n0/ram", bytes);
  request.strategy = "chain";
  return request;
}

// The plain machine with a disk: a byte takes a tenth of a second and a hundredth of a joule.
Platform with_disk() {
  Platform platform = plain_machine();
  platform.memories.push_back({NodeId{0}, "disk", 1 << 20, 1, MemoryKind::storage, {}});
  const auto link = [](int from, int to) {
    return Link{MemoryId{from}, MemoryId{to}, false, 10.0, 0.0, 0.01, 0.0, "disk", false};
  };
  platform.links = {link(0, 1), link(1, 0)};
  return platform;
}

std::int64_t keep_all_bytes(const Graph& graph) {
  return plan_within(graph, 1 << 20, "keep-all").schedule->arenas.at("n0/ram");
}

}  // namespace

TEST_CASE("the course's chain is planned with as few recomputations as its memory allows",
          "[chain]") {
  const auto [bytes, recomputed] =
      GENERATE(table<std::int64_t, std::int64_t>({{6, 0}, {5, 1}, {4, 2}, {3, 4}}));
  CAPTURE(bytes);
  for (const char* strategy : {"chain", "auto"}) {
    const Outcome outcome = plan_within(chain_graph(5), bytes, strategy);
    REQUIRE(outcome.schedule);
    CHECK(outcome.status == Status::optimal);
    CHECK(outcome.schedule->predicted.recomputed == recomputed);
    CHECK(outcome.schedule->predicted.joules ==
          Approx(plain_machine_watts * double(11 + recomputed)));
    CHECK(outcome.schedule->arenas.at("n0/ram") == bytes);
  }
}

TEST_CASE("the course's chain in 2 bytes is infeasible, and 3 are proved and found", "[chain]") {
  const Outcome outcome = plan_within(chain_graph(5), 2);
  CHECK(outcome.status == Status::infeasible);
  REQUIRE(outcome.shortages.size() == 1);
  CHECK(outcome.shortages[0].lower_bound == 3);
  CHECK(outcome.shortages[0].found == 3.0);
}

TEST_CASE("chain looks for the memory that would do only where that is asked for", "[chain]") {
  SearchOptions options;
  options.explains = false;
  const Outcome outcome =
      plan(problem_of(chain_graph(5), plain_machine(), chain_within(2)), options);
  CHECK(outcome.status == Status::infeasible);
  REQUIRE(outcome.shortages.size() == 1);
  CHECK_FALSE(outcome.shortages[0].found);
}

TEST_CASE("the textbook's ways are there to compare with", "[chain]") {
  const auto [strategy, peak, recomputed] = GENERATE(table<const char*, std::int64_t, std::int64_t>(
      {{"keep-all", 6, 0}, {"recompute-all", 3, 10}, {"segments:0,3", 4, 4}, {"segments", 4, 2}}));
  CAPTURE(strategy);
  const Outcome outcome = plan_within(chain_graph(5), 100, strategy);
  REQUIRE(outcome.schedule);
  CHECK(outcome.schedule->arenas.at("n0/ram") == peak);
  CHECK(outcome.schedule->predicted.recomputed == recomputed);
}

TEST_CASE("no bound of chain is above what any order of tasks can reach, and optimal means it",
          "[chain]") {
  const bool plain = GENERATE(true, false);
  int plans = 0;
  int optimal = 0;
  for (std::uint64_t seed = 0; seed < (plain ? 40 : 12) / share; ++seed) {
    const Graph graph = random_task_chain(seed, {2 + static_cast<int>(seed % 2), 3, plain});
    for (std::int64_t bytes = keep_all_bytes(graph); bytes > 0; --bytes) {
      CAPTURE(plain, seed, bytes);
      const Outcome outcome = plan_within(graph, bytes);
      const auto least = least_seconds(graph, bytes);
      if (outcome.status == Status::infeasible) REQUIRE_FALSE(least);
      if (!least) break;
      if (!outcome.schedule) continue;
      const Predicted& predicted = outcome.schedule->predicted;
      REQUIRE(predicted.objective.lower_bound <= plain_machine_watts * *least * (1 + 1e-9));
      REQUIRE(predicted.joules >= plain_machine_watts * *least * (1 - 1e-9));
      if (predicted.optimal) REQUIRE(predicted.joules == Approx(plain_machine_watts * *least));
      ++plans;
      optimal += predicted.optimal ? 1 : 0;
    }
  }
  CHECK(plans > 5);
  CHECK(optimal * 100 > plans * (plain ? 90 : 30));
}

TEST_CASE("more memory never costs more", "[chain]") {
  for (std::uint64_t seed = 100; seed < 100 + 16 / share; ++seed) {
    const Graph graph = random_task_chain(seed, {6, 4, seed % 2 == 0});
    double before = 0;
    for (std::int64_t bytes = keep_all_bytes(graph); bytes > 0; --bytes) {
      CAPTURE(seed, bytes);
      const Outcome outcome = plan_within(graph, bytes);
      if (!outcome.schedule) break;
      REQUIRE(outcome.schedule->predicted.joules >= before * (1 - 1e-9));
      before = outcome.schedule->predicted.joules;
    }
  }
}

TEST_CASE("recomputed and offloaded plans replay with the bits that the tasks give", "[chain]") {
  const RunOptions options{.steps = 2, .warmup_steps = 0, .pace = Pace::none};
  for (std::uint64_t seed = 200; seed < 200 + 20 / share; ++seed) {
    const Graph graph = random_task_chain(seed, {4, 3, false});
    const ReferenceRun reference = reference_run(graph, 2);
    for (const Platform& platform : {plain_machine(), with_disk()}) {
      for (std::int64_t bytes = keep_all_bytes(graph); bytes > 0; bytes -= 2) {
        CAPTURE(seed, bytes, platform.memories.size());
        const Outcome outcome = plan(problem_of(graph, platform, chain_within(bytes)), {});
        if (!outcome.schedule) break;
        const RunReport report = run(*outcome.schedule, options, false);
        REQUIRE(report.state_sha256 == reference.state_sha256);
        REQUIRE(report.results_sha256 == reference.results_sha256);
      }
    }
  }
}

TEST_CASE("what is cheap to move away is moved, and copies hide behind computing", "[chain]") {
  const Platform platform = with_disk();
  const Outcome kept = plan(problem_of(chain_graph(8), platform, chain_within(9)), {});
  const Outcome moved = plan(problem_of(chain_graph(8), platform, chain_within(5)), {});
  Request request = chain_within(5);
  request.offload = false;
  const Outcome recomputed = plan(problem_of(chain_graph(8), platform, request), {});
  REQUIRE((kept.schedule && moved.schedule && recomputed.schedule));
  CHECK(moved.schedule->predicted.copied_bytes > 0);
  CHECK(moved.schedule->predicted.recomputed == 0);
  CHECK(moved.schedule->predicted.joules < recomputed.schedule->predicted.joules);
  CHECK(recomputed.schedule->predicted.copied_bytes == 0);
  CHECK(moved.schedule->predicted.seconds == Approx(kept.schedule->predicted.seconds));
}

TEST_CASE("each task runs in the power state that costs least", "[chain]") {
  Request request = chain_within(4);
  request.bill = Bill::period;
  request.period_seconds = 100;  // what is always on is paid anyway: slow down
  const Settable settable = GENERATE(Settable::run, Settable::action);
  const Outcome slow = plan(problem_of(chain_graph(5), with_slow_state(settable), request), {});
  REQUIRE(slow.schedule);
  CHECK(slow.status == Status::optimal);
  CHECK(slow.schedule->predicted.joules_by.compute == Approx(13 * 2 * 1.0));
  request = chain_within(4);  // billed for the makespan: be quick
  const Outcome quick = plan(problem_of(chain_graph(5), with_slow_state(settable), request), {});
  REQUIRE(quick.schedule);
  CHECK(quick.status == Status::optimal);
  CHECK(quick.schedule->predicted.joules_by.compute == Approx(13 * 7.0));
}

TEST_CASE("under a deadline as much is slowed down as it allows, and the gap is told", "[chain]") {
  Request request = chain_within(4);
  request.bill = Bill::deadline;
  request.deadline_seconds = 20;
  const Outcome outcome =
      plan(problem_of(chain_graph(5), with_slow_state(Settable::action), request), {});
  REQUIRE(outcome.schedule);
  const Predicted& predicted = outcome.schedule->predicted;
  CHECK(predicted.seconds <= 20 + 1e-9);
  // 13 tasks, of which 7 could be slow: 6 × 7 + 7 × 2 joules would be the best of all.
  CHECK(predicted.objective.lower_bound <= 20 * 28 + 6 * 7 + 7 * 2 + 1e-9);
  CHECK(predicted.objective.lower_bound > 20 * 28 + 13 * 2);
  request.deadline_seconds = 13;
  const Outcome tight =
      plan(problem_of(chain_graph(5), with_slow_state(Settable::action), request), {});
  REQUIRE(tight.schedule);
  CHECK(tight.schedule->predicted.seconds == Approx(13));
}

TEST_CASE("the least memory of a chain is found and proved", "[chain]") {
  Request request;
  request.objective = Objective::memory;
  request.strategy = "chain";
  const Outcome outcome = plan(problem_of(chain_graph(9), plain_machine(), request), {});
  REQUIRE(outcome.schedule);
  CHECK(outcome.status == Status::optimal);
  CHECK(outcome.schedule->arenas.at("n0/ram") == 3);
}

TEST_CASE("joules times seconds of a chain is least where both are", "[chain]") {
  Request request = chain_within(4);
  request.objective = Objective::edp;
  const Outcome outcome = plan(problem_of(chain_graph(5), plain_machine(), request), {});
  REQUIRE(outcome.schedule);
  CHECK(outcome.status == Status::optimal);
  CHECK(outcome.schedule->predicted.objective.value == Approx(13 * 13 * plain_machine_watts));
}

TEST_CASE("chain leaves alone what it may not do or does not know", "[chain]") {
  Request request = chain_within(4);
  request.recompute = false;
  CHECK_FALSE(plan(problem_of(chain_graph(5), plain_machine(), request), {}).schedule);
  request = chain_within(100);
  const char* no_chain = R"({"format": "stint-tasks", "version": 1, "name": "none",
   "tensors": [{"name": "a", "bytes": 1, "kind": "input"}, {"name": "b", "bytes": 1}],
   "tasks": [{"name": "T", "reads": ["a"], "writes": ["b"], "seconds": {"cpu": 1}}],
   "results": ["b"]})";
  CHECK_FALSE(plan(problem_of(no_chain, plain_machine(), request), {}).schedule);
}

TEST_CASE("a chain too long for a table is planned by Revolve", "[chain]") {
  const Outcome outcome = plan_within(chain_graph(4100), 200);
  REQUIRE(outcome.schedule);
  CHECK(outcome.status == Status::feasible);
  CHECK(outcome.schedule->arenas.at("n0/ram") <= 200);
  CHECK(outcome.schedule->predicted.recomputed < 2 * 4100);
}
