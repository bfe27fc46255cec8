#include "schedules/perturb.hpp"

#include <catch2/catch.hpp>

#include "files/input_error.hpp"
#include "schedules/critical_path.hpp"
#include "schedules/reordered.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/schedule_builder.hpp"
#include "tests/support/small_schedules.hpp"

using namespace stint;

namespace {

// A worker that does L and then M, while the other waits for M to do N.
Schedule badly_ordered() {
  ScheduleBuilder builder(
      R"({"format": "stint-tasks", "version": 1, "name": "order",
          "tensors": [{"name": "l", "bytes": 1}, {"name": "m", "bytes": 1}, {"name": "n", "bytes": 1}],
          "tasks": [{"name": "L", "reads": [], "writes": ["l"], "seconds": {"cpu": 1}},
                    {"name": "M", "reads": [], "writes": ["m"], "seconds": {"cpu": 1}},
                    {"name": "N", "reads": ["m"], "writes": ["n"], "seconds": {"cpu": 3}}],
          "results": []})",
      platform_text(course_machine(2)));
  const BufferId l = builder.buffer("l", "n0/ram", 0);
  const BufferId m = builder.buffer("m", "n0/ram", 1);
  const BufferId n = builder.buffer("n", "n0/ram", 2);
  builder.compute("L", "n0/cpu/0", {}, {l});
  const ActionId makes_m = builder.compute("M", "n0/cpu/0", {}, {m});
  builder.compute("N", "n0/cpu/1", {m}, {n}, {makes_m});
  return builder.finish();
}

}  // namespace

TEST_CASE("the critical path leads without overlap from the begin of a step to its end",
          "[critical_path]") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    const Schedule schedule = random_plan(seed);
    const std::vector<Worker> all = workers(schedule.platform);
    const Simulation step = simulate(schedule);
    const auto path =
        critical_path(schedule, all, lanes(schedule, static_cast<int>(all.size())), step);
    REQUIRE_FALSE(path.empty());
    double reached = 0;
    for (const ActionId id : path) {
      CHECK(step.start_seconds[id] >= reached);
      // A gap is the time that entering a power state takes.
      if (step.joules_by.switches == 0) CHECK(step.start_seconds[id] == Approx(reached));
      reached = step.start_seconds[id] + step.seconds[id];
    }
    CHECK(reached == step.makespan_seconds);
  }
}

TEST_CASE("the same seed gives the same errors, another gives others", "[perturb]") {
  const Schedule schedule = chain_offloaded();
  const std::string first = summary_json(perturb(schedule, {.samples = 50}));
  CHECK(summary_json(perturb(schedule, {.samples = 50})) == first);
  CHECK(summary_json(perturb(schedule, {.samples = 50, .seed = 1})) != first);
}

TEST_CASE("a chain on one worker is as wrong as its tasks together", "[perturb]") {
  const Perturbation result = perturb(chain_kept_whole(), {.error = 0.1, .samples = 300});
  CHECK(result.seconds.planned == Approx(11));
  CHECK(result.seconds.all_longest == Approx(12.1));
  CHECK(result.joules.all_longest == Approx(385 * 1.1));
  CHECK(result.seconds.least >= Approx(11 / 1.1));
  CHECK(result.seconds.greatest <= Approx(12.1));
  CHECK(result.seconds.least < result.seconds.low);
  CHECK(result.seconds.low < result.seconds.median);
  CHECK(result.seconds.high < result.seconds.greatest);
  // The variance of 1.1^u is 0.0030, so that of eleven tasks 0.033 s²; two sigma are 0.37 s.
  CHECK(result.seconds.high - result.seconds.low == Approx(2 * 1.645 * 0.182).epsilon(0.2));
  CHECK(result.critical.size() == 11);
  for (const CriticalAction& action : result.critical) CHECK(action.share == 1);
  CHECK(result.gain_bound.greatest == Approx(0).margin(1e-9));
}

TEST_CASE("executions of one task are wrong by the same factor", "[perturb]") {
  const Perturbation twice = perturb(chain_recomputed(), {.error = 0.5, .samples = 200});
  CHECK(twice.seconds.planned == Approx(13));
  CHECK(twice.seconds.all_longest == Approx(19.5));
}

TEST_CASE("what a re-ordered plan would gain is found, within what any order may", "[perturb]") {
  const Perturbation result = perturb(badly_ordered(), {.error = 0.01, .samples = 20});
  CHECK(result.gain.planned == Approx(0.2));  // M, N in 4 s, not L, M, N in 5 s
  CHECK(result.gain_bound.planned == Approx(0.2));
  CHECK(result.gain.median == Approx(0.2).epsilon(0.02));
}

TEST_CASE("no list schedule beats the bound, nor does the plan", "[perturb]") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    const Schedule schedule = random_plan(seed);
    const std::vector<Worker> all = workers(schedule.platform);
    const Order order_of_plan = order(schedule, static_cast<int>(all.size()));
    const Simulation step = simulate(schedule);
    const Reordered reordered(schedule, all, order_of_plan);
    const double bound = reordered.lower_bound(step.seconds);
    CHECK(bound <= step.makespan_seconds * (1 + 1e-9));
    CHECK(bound <= reordered.list_makespan(step.seconds) * (1 + 1e-9));
  }
}

TEST_CASE("misses of a deadline are counted", "[perturb]") {
  Schedule schedule = chain_kept_whole();
  CHECK_FALSE(perturb(schedule, {.samples = 10}).late);
  schedule.request.deadline_seconds = 11;
  const double late = perturb(schedule, {.samples = 400}).late.value();
  CHECK(late > 0.35);
  CHECK(late < 0.65);
  CHECK_THAT(summary(perturb(schedule, {.samples = 10})), Catch::Contains("late"));
}

TEST_CASE("an error is a share above nothing", "[perturb]") {
  CHECK(error_of("10%") == Approx(0.1));
  for (const std::string text : {"10", "-1%", "0%", "x%", "", "nan%", "1001%", "1e400%"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(error_of(text), InputError);
  }
}
