// However a network is cut, and by however many workers it is trained, it ends with the same bits.
#include <catch2/catch.hpp>

#include "planner/plan.hpp"
#include "tests/executor/cpu/trainings.hpp"
#include "tests/executor/replays.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

const Request sixteen_leaves{
    .objective = Objective::time, .batch = 16, .leaves = 16, .strategy = "keep-all"};

Platform desk(int workers) {
  Platform platform = read_platform(bundled("platforms/desk.json"));
  platform.devices[0].workers = workers;
  return platform;
}

Schedule planned_as(const Network& network, int workers, const Grain& grain) {
  const Problem problem = make_problem(network, desk(workers), sixteen_leaves, grain, network.name);
  return plan(problem, {}).schedule.value();
}

Schedule planned_by_itself(const Network& network, int workers) {
  Request request = sixteen_leaves;
  request.grain = auto_grain;
  return plan(make_problem(network, desk(workers), request, network.name), {}).schedule.value();
}

std::string bits_of(const Schedule& schedule) { return trained(schedule, 2).state_sha256; }

// All parameters in so many ranges.
std::vector<ParameterSplit> all_split(const Network& network, std::int64_t ranges) {
  std::vector<ParameterSplit> splits;
  const Graph whole = lower(network, {.batch = 16});
  for (const Task& task : whole.tasks) {
    if (task.phase == Phase::update)
      splits.push_back({whole.tensors[task.updates[0]].name, ranges});
  }
  return splits;
}

std::vector<Cut> listed_cuts(const Network& network,
                             const std::vector<std::vector<std::int64_t>>& lists) {
  std::vector<Cut> cuts = uniform_cuts(network, 1);
  for (std::size_t i = 0; i < cuts.size(); ++i) cuts[i].pieces = lists[i % lists.size()];
  return cuts;
}

}  // namespace

TEST_CASE("networks end with the same bits on 1 to 16 workers in all cuts", "[cut bits]") {
  const Network network = bundled_network(GENERATE("lenet5", "dahl_cnn"));
  CAPTURE(network.name);
  const std::string expected = bits_of(planned_as(network, 1, {}));
  const std::vector<std::vector<std::int64_t>> uneven = {
      {8, 4, 2, 1, 1}, {1, 1, 2, 4, 8}, {2, 2, 4, 8}, {16}};
  const std::vector<Grain> grains = {{{}, all_split(network, 3)},
                                     {uniform_cuts(network, 1), all_split(network, 5)},
                                     {uniform_cuts(network, 4), {}},
                                     {listed_cuts(network, uneven), {}},
                                     {listed_cuts(network, {uneven[1]}), all_split(network, 2)}};
  const int workers[] = {2, 3, 1, 16, 5};
  for (std::size_t i = 0; i < grains.size(); ++i) {
    CAPTURE(i, workers[i]);
    CHECK(bits_of(planned_as(network, workers[i], grains[i])) == expected);
  }
}

TEST_CASE("cuts that the planner chooses change no bit", "[cut bits]") {
  const Network network = bundled_network(GENERATE("lenet5", "dahl_cnn"));
  CAPTURE(network.name);
  const std::string expected = bits_of(planned_as(network, 1, {}));
  int cut = 0;
  for (const int workers : {2, 7}) {
    const Schedule schedule = planned_by_itself(network, workers);
    cut += schedule.lowering.cuts.empty() ? 0 : 1;
    CHECK(bits_of(schedule) == expected);
  }
  CHECK(cut > 0);
}

TEST_CASE("random delays change no bit of a cut network", "[cut bits]") {
  const Network network = bundled_network("dahl_cnn");
  const Grain grain{listed_cuts(network, {{4, 2, 2, 8}, {1, 1, 2, 4, 8}}), all_split(network, 4)};
  const Schedule schedule = planned_as(network, 4, grain);
  const ReferenceRun expected = reference_run(schedule.graph, 3);
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    CHECK(hashes(replay_with(schedule, random_delays(seed))) == expected);
}
