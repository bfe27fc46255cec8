// The strategy chain against a search over everything that can happen, and on the course's chain.

#include <catch2/catch.hpp>

#include "models/dependencies.hpp"
#include "planner/chains/recognise.hpp"
#include "planner/plan.hpp"
#include "schedules/validate.hpp"
#include "tests/planner/chains/task_chains.hpp"
#include "tests/planner/chains/task_search.hpp"
#include "tests/planner/problems.hpp"
#include "tests/support/chain_graph.hpp"

using namespace stint;

namespace {

constexpr double watts = 35;  // of plain_machine: 20 board, 8 idle, 7 busy

Outcome plan_within(const Graph& graph, std::int64_t bytes, const std::string& strategy = "chain") {
  Request request = within("n0/ram", bytes);
  request.strategy = strategy;
  return plan(problem_of(graph, plain_machine(), request), {});
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
    CHECK(outcome.schedule->predicted.joules == Approx(watts * double(11 + recomputed)));
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
  int optimal = 0;
  int plans = 0;
  int infeasible = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Graph graph = random_task_chain(seed, {2 + int(seed % 2), 3, seed % 4 != 0});
    const std::int64_t all = keep_all_bytes(graph);
    for (std::int64_t bytes = all; bytes > 0; --bytes) {
      CAPTURE(seed, bytes, all);
      const Outcome outcome = plan_within(graph, bytes);
      const auto least = least_seconds(graph, bytes);
      if (!outcome.schedule) {
        if (outcome.status == Status::infeasible) REQUIRE_FALSE(least);
        ++infeasible;
        if (!least) break;
        continue;
      }
      REQUIRE(least);
      ++plans;
      const Predicted& predicted = outcome.schedule->predicted;
      REQUIRE(predicted.objective.lower_bound <= watts * *least * (1 + 1e-9));
      REQUIRE(predicted.joules >= watts * *least * (1 - 1e-9));
      if (predicted.optimal) REQUIRE(predicted.joules == Approx(watts * *least));
      optimal += predicted.optimal;
    }
  }
  WARN(plans << " plans, " << optimal << " optimal, " << infeasible << " without");
  CHECK(optimal * 10 > plans * 8);
}
