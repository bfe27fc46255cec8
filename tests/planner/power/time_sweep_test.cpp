#include "planner/power/time_sweep.hpp"

#include <catch2/catch.hpp>

#include "files/input_error.hpp"
#include "planner/bounds.hpp"
#include "tests/planner/problems.hpp"
#include "tests/support/chain_graph.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/random_platform.hpp"

using namespace stint;

namespace {

void check_curve(const Frontier& frontier) {
  for (std::size_t i = 0; i < frontier.points.size(); ++i) {
    const FrontierEntry& point = frontier.points[i];
    CHECK(*point.seconds <= point.deadline_seconds);
    CHECK(*point.lower_bound <= *point.joules);
    if (i == 0) continue;
    CHECK(point.deadline_seconds > frontier.points[i - 1].deadline_seconds);
    CHECK(*point.joules < *frontier.points[i - 1].joules);
  }
  const Frontier read = parse_frontier(frontier_text(frontier), "text");
  CHECK(frontier_text(read) == frontier_text(frontier));
}

}  // namespace

TEST_CASE("the more time there is, the slower tasks run one after the other", "[frontier]") {
  // A second of a task: 35 J, or 2 s in which little but the busy watts is paid.
  Platform platform = with_slow_state(Settable::action);
  platform.nodes[0].base_watts = 0.5;
  platform.devices[0].idle_watts = 0.5;
  const Frontier frontier = time_sweep(problem_of(chain_graph(5), platform), {});
  check_curve(frontier);
  // Eleven tasks of a second, each fast or slow: 8 J in 1 s, or 4 J in 2 s.
  REQUIRE(frontier.points.size() == 12);
  for (int slow = 0; slow <= 11; ++slow) {
    CHECK(*frontier.points[slow].seconds == Approx(11 + slow));
    CHECK(*frontier.points[slow].joules == Approx(88 - 4 * slow));
    CHECK(*frontier.points[slow].lower_bound > 88 - 4 * (slow + 1));
  }
}

TEST_CASE("energy never rises as the deadline grows, on any graph and machine", "[frontier]") {
  int curves = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    Request request;
    request.limit = 0.3;
    const Problem problem =
        problem_of(random_graph(seed, {.tasks = 8}), random_platform(seed), request);
    const Frontier frontier = time_sweep(problem, {});
    REQUIRE(!frontier.points.empty());
    check_curve(frontier);
    if (frontier.points.size() > 2) ++curves;
  }
  CHECK(curves > 0);
}

TEST_CASE("there is no curve where the deadline is what is billed", "[frontier]") {
  Request request;
  request.deadline_seconds = 100;
  request.bill = Bill::deadline;
  const Problem problem = problem_of(chain_graph(5), with_slow_state(Settable::action), request);
  CHECK_THROWS_AS(time_sweep(problem, {}), InputError);
}
