// keep-all on random graphs and random machines: the judge accepts every plan.

#include <catch2/catch.hpp>
#include <string>

#include "planner/plan.hpp"
#include "schedules/validate.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/random_platform.hpp"

using namespace stint;

namespace {

constexpr int cases = 10'000;

Problem random_problem(std::uint64_t seed) {
  RandomGraphOptions options;
  options.tasks = 1 + static_cast<int>(seed % 12);
  Request request;
  request.objective = static_cast<Objective>(seed % 4);
  return make_problem(random_graph(seed, options), random_platform(seed), request, "random");
}

}  // namespace

TEST_CASE("the judge accepts what keep-all plans for random graphs on random machines",
          "[random]") {
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    CAPTURE(seed);
    const Outcome outcome = plan(random_problem(seed), {});  // throws if the judge objects
    REQUIRE(outcome.schedule);
    const auto violations = validate(*outcome.schedule);
    CAPTURE(violations.empty() ? std::string() : to_string(violations.front()));
    REQUIRE(violations.empty());
  }
}
