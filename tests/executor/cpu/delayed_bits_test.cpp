// Real kernels on 1 to 16 workers, in all cuts and all orders of a pipeline, with every action held
// up at random: the bits are those of one worker that nobody holds up. A missing wait shows here.
#include <catch2/catch.hpp>

#include "planner/plan.hpp"
#include "schedules/validate.hpp"
#include "tests/executor/cpu/delayed_training.hpp"
#include "tests/executor/cpu/trainings.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

Schedule planned_for(const Network& network, int workers, const Request& request) {
  Platform platform = read_platform(bundled("platforms/desk.json"));
  platform.devices[0].workers = workers;
  Schedule schedule =
      plan(make_problem(network, platform, request, network.name), {}).schedule.value();
  REQUIRE(validate(schedule).empty());
  return schedule;
}

void expect_bits(const Schedule& schedule, std::uint64_t seed, const std::string& expected) {
  const RunReport report = trained_with(schedule, 2, random_delays(seed));
  CHECK(report.replayed_exactly);
  CHECK(report.state_sha256 == expected);
}

// The two halves of a batch, eight leaves each: small networks, so that waits are most of a step.
Request halves() {
  return {.objective = Objective::time,
          .batch = 16,
          .microbatches = 2,
          .leaves = 8,
          .strategy = "keep-all"};
}

}  // namespace

TEST_CASE("delays change no bit of real trainings, on 1 to 16 workers in all cuts", "[cut bits]") {
  const Network network = GENERATE(bundled_network("lenet5"), bundled_network("dahl_cnn"),
                                   normalised_network(), small_transformer());
  CAPTURE(network.name);
  Request request = halves();
  const std::string expected = trained(planned_for(network, 1, request), 2).state_sha256;
  struct Way {
    int workers;
    std::int64_t grain;
    bool fuse;
  };
  for (const Way way : {Way{2, 1, true}, Way{3, 2, false}, Way{5, 4, true}, Way{16, 1, false},
                        Way{8, auto_grain, true}}) {
    CAPTURE(way.workers, way.grain, way.fuse);
    request.grain = way.grain;
    request.fuse = way.fuse;
    expect_bits(planned_for(network, way.workers, request), way.workers, expected);
  }
}

TEST_CASE("delays change no bit of a pipeline of real kernels", "[cut bits]") {
  const Network network = GENERATE(bundled_network("lenet5"), small_transformer());
  CAPTURE(network.name);
  Request request = halves();
  request.microbatches = 4;
  request.leaves = 2;
  const std::string expected = trained(planned_for(network, 1, request), 2).state_sha256;
  std::uint64_t seed = 0;
  for (const std::string order : {"gpipe", "1f1b", "interleaved", "zb-h1", "zb-h2"}) {
    CAPTURE(order);
    request.strategy = "auto";
    request.pipeline = order;
    request.stages = 2;
    expect_bits(planned_for(network, 2, request), ++seed, expected);
  }
}
