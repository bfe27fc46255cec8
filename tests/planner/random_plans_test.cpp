// keep-all on random graphs and random machines: the judge accepts every plan.

#include <algorithm>
#include <catch2/catch.hpp>

#include "planner/memory_bound.hpp"
#include "planner/plan.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/random_platform.hpp"

using namespace stint;

namespace {

// Most of the time goes into writing and hashing inputs, which is slow where nothing is optimised.
#ifdef NDEBUG
constexpr int cases = 10'000;
#else
constexpr int cases = 1'000;
#endif

Problem random_problem(std::uint64_t seed) {
  RandomGraphOptions options;
  options.tasks = 1 + static_cast<int>(seed % 12);
  Request request;
  request.objective = static_cast<Objective>(seed % 4);
  request.strategy = "keep-all";
  return make_problem(random_graph(seed, options), random_platform(seed), request, "random");
}

// plan() itself compares the objective with its bound; the memories are compared here.
bool is_above_bounds(const Problem& problem, const Schedule& schedule) {
  for (std::size_t m = 0; m < problem.platform().memories.size(); ++m) {
    const auto memory = static_cast<MemoryId>(m);
    const auto arena = schedule.arenas.find(memory_name(problem.platform(), memory));
    const std::int64_t bytes = arena == schedule.arenas.end() ? 0 : arena->second;
    if (memory_bound(problem, memory).bytes > bytes) return false;
  }
  return true;
}

bool arenas_hold_what_is_live(const Schedule& schedule) {
  const auto& peaks = schedule.predicted.peak_bytes;
  return std::all_of(peaks.begin(), peaks.end(), [&](const auto& peak) {
    return schedule.arenas.at(peak.first) >= peak.second;
  });
}

}  // namespace

TEST_CASE("the judge accepts what keep-all plans for random graphs on random machines",
          "[random]") {
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    CAPTURE(seed);
    const Problem problem = random_problem(seed);
    const Outcome outcome = plan(problem, {});  // throws if the judge objects
    REQUIRE(outcome.schedule);
    REQUIRE(is_above_bounds(problem, *outcome.schedule));
    REQUIRE(arenas_hold_what_is_live(*outcome.schedule));
  }
}
