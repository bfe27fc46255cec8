// Pipelines whose slack and whose states of least energy are known.
#include "tests/planner/power/pipelines.hpp"

#include <catch2/catch.hpp>

#include "planner/power/choose_power.hpp"

using namespace stint;

namespace {

// A stage that waits draws its idle watts: those count until the end, and are taken off again while
// it works.
PowerProblem power_of(const DvfsCase& c) {
  const auto choices = [&](const PipelineOp& op) {
    const bool forward = op.kind == 'F';
    const auto& seconds = (forward ? c.forward_seconds : c.backward_seconds)[op.stage];
    const auto& joules = (forward ? c.forward_joules : c.backward_joules)[op.stage];
    std::vector<PowerChoice> all;
    for (std::size_t s = 0; s < seconds.size(); ++s)
      all.push_back({seconds[s], joules[s] - c.idle_watts[op.stage] * seconds[s]});
    return all;
  };
  PowerProblem problem = pipeline_power(c.pipeline, 0, choices).problem;
  for (const double watts : c.idle_watts) problem.watts += watts;
  problem.deadline_seconds = c.deadline_seconds;
  return problem;
}

}  // namespace

TEST_CASE("the operations of pipelines have the slack that is known", "[power]") {
  int operations = 0;
  for (const SlackCase& c : read_slack_cases()) {
    const auto seconds_of = [&](const PipelineOp& op) {
      const auto& by_stage = op.kind == 'F'   ? c.forward_seconds
                             : op.kind == 'B' ? c.backward_seconds
                                              : c.weight_seconds;
      return std::vector<PowerChoice>{{by_stage[op.stage], 0}};
    };
    const PipelinePower power = pipeline_power(c.pipeline, c.message_seconds, seconds_of);
    std::vector<double> seconds;
    for (const PowerAction& action : power.problem.actions)
      seconds.push_back(action.choices.front().seconds);
    const PowerTimes times = power_times(power.problem, seconds);
    REQUIRE(times.seconds == c.makespan_seconds);
    for (int stage = 0; stage < c.pipeline.stages; ++stage) {
      for (std::size_t i = 0; i < power.place[stage].size(); ++i, ++operations) {
        const int a = power.place[stage][i];
        CAPTURE(stage, i);
        CHECK(times.start[a] == c.start[stage][i]);
        const double slack = times.seconds - times.start[a] - seconds[a] - times.rest[a];
        CHECK(slack == c.slack[stage][i]);
      }
    }
  }
  CHECK(operations > 200);
}

TEST_CASE("states of pipelines take the least energy that brute force found", "[power]") {
  for (const DvfsCase& c : read_dvfs_cases()) {
    const PowerProblem problem = power_of(c);
    const PowerPrice fast = price(problem, PowerChoices(problem.actions.size(), 0));
    CHECK(fast.joules == Approx(c.all_fast_joules).epsilon(1e-12));
    const auto plan = choose_power(problem, {});
    REQUIRE(plan);
    CHECK(plan->price.joules == Approx(c.least_joules).epsilon(1e-12));
    CHECK(plan->price.seconds <= c.deadline_seconds);
    CHECK(plan->is_optimal);
  }
}
