#include "executor/model_meter.hpp"

#include <catch2/catch.hpp>

#include "platforms/names.hpp"
#include "schedules/simulate.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/small_schedules.hpp"
#include "tests/support/training_step.hpp"

using namespace stint;

namespace {

Lanes lists_of(const Schedule& schedule) {
  return lanes(schedule, static_cast<int>(workers(schedule.platform).size()));
}

JoulesBy modelled(const Schedule& schedule, const MeasuredStep& step) {
  const std::vector<Worker> all = workers(schedule.platform);
  const Lanes lists = lists_of(schedule);
  return modelled_joules(schedule, lists, MarginalJoules(schedule, all, lists), step);
}

MeasuredStep as_simulated(const Simulation& simulation) {
  return {simulation.makespan_seconds, simulation.start_seconds, simulation.seconds};
}

}  // namespace

TEST_CASE("times as predicted cost what is predicted, term by term", "[model_meter]") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const Schedule schedule = random_plan(seed);
    const Simulation simulation = simulate(schedule);
    const JoulesBy& expected = simulation.joules_by;
    const JoulesBy by = modelled(schedule, as_simulated(simulation));
    CHECK(by.compute == Approx(expected.compute).epsilon(1e-9));
    CHECK(by.copy == Approx(expected.copy).epsilon(1e-9));
    CHECK(by.switches == Approx(expected.switches).epsilon(1e-9));
    CHECK(by.active == Approx(expected.active).epsilon(1e-9));
    CHECK(by.idle == Approx(expected.idle).epsilon(1e-9));
    CHECK(by.memory == Approx(expected.memory).epsilon(1e-9));
    CHECK(by.base == Approx(expected.base).epsilon(1e-9));
    // A worker that enters another power state is not waiting, which times alone do not tell.
    if (expected.switches == 0) CHECK(by.wait == Approx(expected.wait).epsilon(1e-9));
  }
}

TEST_CASE("a slower step costs more", "[model_meter]") {
  const Schedule schedule = chain_kept_whole();
  MeasuredStep step = as_simulated(simulate(schedule));
  step.seconds = 22;
  for (double& seconds : step.start_seconds) seconds *= 2;
  for (double& seconds : step.action_seconds) seconds *= 2;
  const JoulesBy by = modelled(schedule, step);
  CHECK(by.compute == Approx(2 * 77.0));
  CHECK(by.total() == Approx(2 * 385.0));
}

TEST_CASE("a step that overruns its deadline is billed for as long as it takes", "[model_meter]") {
  Schedule schedule = chain_kept_whole();
  schedule.request.bill = Bill::deadline;
  schedule.request.deadline_seconds = 12;
  MeasuredStep step = as_simulated(simulate(schedule));
  CHECK(modelled(schedule, step).base == Approx(12 * 20.0));
  step.seconds = 15;
  CHECK(modelled(schedule, step).base == Approx(15 * 20.0));
}

TEST_CASE("the basis is that of the weakest price", "[model_meter]") {
  Platform platform = course_machine();
  CHECK(model_basis(platform) == "modelled:assumed");
  Platform priced;
  priced.nodes.push_back({.name = "n0", .base_watts = {20, Basis::datasheet, "a sheet"}});
  CHECK(model_basis(priced) == "modelled:datasheet");
  priced.nodes[0].base_watts.basis = Basis::measured;
  CHECK(model_basis(priced) == "modelled:calibrated");
}
