// The strategy placement on random graphs with everything that graphs may have.
#include <catch2/catch.hpp>

#include "planner/plan.hpp"
#include "schedules/schedule.hpp"
#include "schedules/validate.hpp"
#include "tests/planner/graphs/random_training.hpp"
#include "tests/planner/placement/two_memories.hpp"
#include "tests/planner/problems.hpp"
#include "tests/support/random_graph.hpp"

using namespace stint;

namespace {

Outcome planned(const Graph& graph, const Platform& platform, Request request,
                const std::string& strategy = "placement") {
  request.strategy = strategy;
  request.limit = 0.05;
  return plan(problem_of(graph, platform, request), {});
}

double value(const Outcome& outcome) { return outcome.schedule->predicted.objective.value; }

}  // namespace

TEST_CASE("graphs with parts, state and overwriting get plans on several devices that hold",
          "[placement]") {
  int plans = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    CAPTURE(seed);
    Request request;
    request.recompute = seed % 3 != 1;
    request.offload = seed % 5 != 2;
    const Outcome outcome = planned(random_graph(seed, {}), two_gpus(), request);
    if (!outcome.schedule) continue;
    ++plans;
    CHECK(validate(*outcome.schedule).empty());
  }
  CHECK(plans >= 25);
}

TEST_CASE("a placement is never worse than the best plan on one device", "[placement]") {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    CAPTURE(seed);
    const Graph graph = on_two_devices(random_training(seed), seed);
    const Platform platform = two_memories();
    Request request = within("n0/hbm", 20 + static_cast<std::int64_t>(seed % 3) * 8);
    if (seed % 2 == 1) request.deadline_seconds = 100;
    const Outcome mine = planned(graph, platform, request);
    for (const std::string other : {"keep-all", "chain", "graph"}) {
      const Outcome one = planned(graph, platform, request, other);
      if (!one.schedule) continue;
      REQUIRE(mine.schedule);
      CHECK(value(mine) <= value(one) * (1 + 1e-9));
    }
  }
}

TEST_CASE("a placement is the same with one thread and two, and when it is planned again",
          "[placement]") {
  const Graph graph = on_two_devices(random_training(5), 5);
  const Platform platform = two_memories();
  Request request = within("n0/hbm", 24);
  request.strategy = "placement";
  request.limit = 0.2;
  std::vector<std::string> texts;
  for (const int threads : {1, 2, 1}) {
    SearchOptions options;
    options.threads = threads;
    const Outcome outcome = plan(problem_of(graph, platform, request), options);
    REQUIRE(outcome.schedule);
    texts.push_back(schedule_text(*outcome.schedule));
  }
  CHECK(texts[0] == texts[1]);
  CHECK(texts[0] == texts[2]);
}
