#include "benchmarks/overhead/contest.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <stdexcept>

#include "benchmarks/overhead/plain_loop.hpp"
#include "benchmarks/overhead/served.hpp"
#include "benchmarks/overhead/stint_contestant.hpp"

using namespace stint;

namespace {

constexpr ContestOptions short_contest{.rounds = 2, .seconds_per_round = 0};

// Begins with the last task.
Contestant backwards() {
  return {"backwards", [](const TaskShape& shape, Work work) -> Step {
            return [work, tasks = static_cast<int>(shape.tasks.size())] {
              for (int task = tasks - 1; task >= 0; --task) work(task);
            };
          }};
}

}  // namespace

TEST_CASE("our replay runs each task once and after its predecessors, in every step",
          "[overhead]") {
  const int which = GENERATE(range(0, 4));
  const TaskShape shape = all_shapes(200)[which];
  Stamps stamps(200);
  const Step step = stint_contestant().prepare(shape, stamps.work());
  for (int i = 0; i < 5; ++i) {
    step();
    REQUIRE_NOTHROW(stamps.check(shape));
  }
}

TEST_CASE("stamps tell of a task that is left out, runs twice or runs too early", "[overhead]") {
  const TaskShape shape = chain_on_one_worker(2);
  Stamps stamps(2);
  const Work work = stamps.work();
  work(0);
  REQUIRE_THROWS_WITH(stamps.check(shape), "task 1 ran 0 times, not once");
  for (const int task : {0, 1, 1}) work(task);
  REQUIRE_THROWS_WITH(stamps.check(shape), "task 1 ran 2 times, not once");
  for (const int task : {1, 0}) work(task);
  REQUIRE_THROWS_WITH(stamps.check(shape), "task 1 overtook 0");
}

TEST_CASE("a contest times all contestants in their order", "[overhead]") {
  const auto timings = time_per_task({plain_loop(), stint_contestant()}, layered_tasks(80),
                                     empty_work(), short_contest);
  REQUIRE(timings.size() == 2);
  for (const Timing& timing : timings) {
    REQUIRE(timing.fastest_seconds > 0);
    REQUIRE(timing.median_seconds >= timing.fastest_seconds);
  }
}

TEST_CASE("a contest ends where a contestant does not do what the shape asks", "[overhead]") {
  const std::vector<Contestant> contestants = {plain_loop(), backwards()};
  REQUIRE_NOTHROW(time_per_task(contestants, independent_tasks(8), empty_work(), short_contest));
  REQUIRE_THROWS_WITH(
      time_per_task(contestants, chain_on_one_worker(8), empty_work(), short_contest),
      "backwards has failed");
}

TEST_CASE("a served function keeps its state in a process of its own", "[overhead]") {
  int calls = 0;
  const auto parent = getpid();
  Served served("counter",
                [&]() -> Round { return [&] { return getpid() == parent ? -1 : ++calls; }; });
  REQUIRE(served.round() == 1);
  REQUIRE(served.round() == 2);
  REQUIRE(calls == 0);
}

TEST_CASE("what fails in the other process is told here", "[overhead]") {
  const std::function<Round()> failing = []() -> Round { throw std::runtime_error("no device"); };
  REQUIRE_THROWS_WITH(Served("rival", failing), "rival has failed");
}
