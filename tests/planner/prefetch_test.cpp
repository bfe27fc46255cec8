// Batches that are loaded ahead: by whom, and where not.
#include "planner/prefetch.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "models/model.hpp"
#include "planner/keep_all.hpp"
#include "planner/plan.hpp"
#include "schedules/validate.hpp"
#include "tests/planner/problems.hpp"

using namespace stint;

namespace {

// One memory, no links.
Platform machine(int workers) {
  Platform desk = read_platform(STINT_SOURCE_DIR "/platforms/desk.json");
  desk.links.clear();
  desk.memories.resize(1);
  desk.devices[0].workers = workers;
  return desk;
}

Problem lenet5(int workers, Request request = {}) {
  request.batch = 8;
  request.limit = 0.2;
  return problem_of(read_model(STINT_SOURCE_DIR "/models/lenet5.json"), machine(workers), request);
}

std::vector<Action> loads_ahead(const Schedule& schedule) {
  std::vector<Action> loads;
  for (const Action& action : schedule.actions) {
    if (action.what == Do::load && action.for_step == 1) loads.push_back(action);
  }
  return loads;
}

std::int64_t arena(const Schedule& schedule) { return schedule.arenas.at("n0/ram"); }

// What there is without loading ahead.
Schedule kept_in_place(const Problem& problem) {
  return std::move(*keep_all(problem, {})->schedule);
}

}  // namespace

TEST_CASE("the next batch is loaded while a worker rests, and costs nothing", "[prefetch]") {
  const int workers = GENERATE(2, 4);
  const Problem problem = lenet5(workers, {.strategy = "keep-all"});
  const Schedule schedule = plan(problem, {}).schedule.value();
  CHECK(validate(schedule).empty());
  const auto loads = loads_ahead(schedule);
  REQUIRE(loads.size() == 1);
  CHECK(loads[0].writes.size() == 2);  // image and label
  for (const BufferId buffer : loads[0].writes)
    CHECK(schedule.buffers[buffer].second_offset.has_value());
  const Schedule plain = kept_in_place(problem);
  CHECK(loads_ahead(plain).empty());
  CHECK(schedule.predicted.seconds == Approx(plain.predicted.seconds).epsilon(1e-9));
  CHECK(schedule.predicted.joules == Approx(plain.predicted.joules).epsilon(1e-9));
  // Nobody waits for it: its worker does nothing else until later.
  for (const Action& action : schedule.actions)
    CHECK(std::find(action.after.begin(), action.after.end(), static_cast<ActionId>(loads[0].id)) ==
          action.after.end());
}

TEST_CASE("of workers who do nothing at all one loads the next batch", "[prefetch]") {
  const Schedule schedule = plan(lenet5(8), {}).schedule.value();
  const auto loads = loads_ahead(schedule);
  REQUIRE(loads.size() == 1);
  const auto its = std::count_if(schedule.actions.begin(), schedule.actions.end(),
                                 [&](const Action& a) { return a.worker == loads[0].worker; });
  CHECK(its == 1);
}

TEST_CASE("where nobody ever rests batches are there when the step begins", "[prefetch]") {
  const Schedule schedule = plan(lenet5(1), {}).schedule.value();
  CHECK(loads_ahead(schedule).empty());
}

TEST_CASE("a plan that fits without a second batch is not lost to it", "[prefetch]") {
  const Request keeping{.strategy = "keep-all"};
  const Schedule plain = kept_in_place(lenet5(2, keeping));
  const Schedule roomy = plan(lenet5(2, keeping), {}).schedule.value();
  REQUIRE(arena(roomy) > arena(plain));
  Request tight = within("n0/ram", arena(roomy));
  tight.strategy = "keep-all";
  CHECK(loads_ahead(plan(lenet5(2, tight), {}).schedule.value()).size() == 1);
  tight.memory["n0/ram"] = arena(plain);
  const Schedule in_place = plan(lenet5(2, tight), {}).schedule.value();
  CHECK(loads_ahead(in_place).empty());
  CHECK(arena(in_place) <= arena(plain));
}

TEST_CASE("inputs that a chain loads within the step are loaded ahead where there is room",
          "[prefetch]") {
  const Problem problem = lenet5(2, {.strategy = "chain"});
  const Schedule schedule = plan(problem, {}).schedule.value();
  CHECK(validate(schedule).empty());
  CHECK(loads_ahead(schedule).size() == 1);
  CHECK(std::count_if(schedule.actions.begin(), schedule.actions.end(),
                      [](const Action& action) { return action.what == Do::load; }) == 1);
}

TEST_CASE("where memory is the aim nothing is doubled", "[prefetch]") {
  const auto schedule = plan(lenet5(4, {.objective = Objective::memory}), {}).schedule;
  CHECK(loads_ahead(schedule.value()).empty());
}

TEST_CASE("inputs of a graph of tasks stay where they are", "[prefetch]") {
  const Problem problem =
      problem_of(read_model(STINT_SOURCE_DIR "/models/chain5.json"), plain_machine(2));
  const Schedule schedule = plan(problem, {}).schedule.value();
  CHECK_FALSE(with_prefetch(problem, schedule));
  CHECK(loads_ahead(schedule).empty());
}
