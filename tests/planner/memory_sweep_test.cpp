#include "planner/memory_sweep.hpp"

#include <catch2/catch.hpp>

#include "planner/chains/chain_frontier.hpp"
#include "tests/planner/problems.hpp"
#include "tests/support/chain_graph.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/random_platform.hpp"

using namespace stint;

TEST_CASE("a plan for every point gives the curve that one table gives", "[frontier]") {
  const Problem problem = problem_of(chain_graph(5), plain_machine());
  const auto table = chain_frontier(problem, {});
  REQUIRE(table);
  const Frontier swept = memory_sweep(problem, {});
  REQUIRE(swept.points.size() == table->points.size());
  for (std::size_t i = 0; i < swept.points.size(); ++i) {
    CHECK(swept.points[i].bytes == table->points[i].bytes);
    CHECK(*swept.points[i].joules == Approx(*table->points[i].joules));
    CHECK(*swept.points[i].lower_bound <= *swept.points[i].joules * (1 + 1e-9));
  }
  CHECK(swept.addressed);
  CHECK(!table->addressed);
}

TEST_CASE("with more memory a step never costs more, on any graph and machine", "[frontier]") {
  const int seed = GENERATE(range(0, 12));
  CAPTURE(seed);
  Request request;
  request.limit = 0.2;
  const Problem problem = problem_of(random_graph(seed), random_platform(seed), request);
  const Frontier frontier = memory_sweep(problem, {});
  for (std::size_t i = 1; i < frontier.points.size(); ++i) {
    CHECK(frontier.points[i].bytes > frontier.points[i - 1].bytes);
    CHECK(*frontier.points[i].joules < *frontier.points[i - 1].joules);
  }
  const Frontier read = parse_frontier(frontier_text(frontier), "text");
  CHECK(frontier_text(read) == frontier_text(frontier));
}

TEST_CASE("a table is for chains in one memory without a deadline", "[frontier]") {
  Request request;
  request.deadline_seconds = 100;
  CHECK(!chain_frontier(problem_of(chain_graph(5), plain_machine(), request), {}));
  CHECK(!chain_frontier(problem_of(random_graph(3), plain_machine()), {}));
  CHECK(!chain_frontier(problem_of(chain_graph(5), two_gpus()), {}));
}
