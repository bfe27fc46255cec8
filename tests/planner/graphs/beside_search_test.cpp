#include "planner/graphs/beside_search.hpp"

#include <catch2/catch.hpp>

#include "planner/memory_bound.hpp"
#include "planner/plan.hpp"
#include "tests/planner/graphs/random_training.hpp"
#include "tests/planner/problems.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

Platform two_workers_and_a_slow_disk() {
  Platform platform = beside_disk(plain_machine(2, 64), 5e-9, 5e8);
  TimeModel model;
  model.terms = {{"constant", 1e-6}, {"flops", 1.25e-10}, {"bytes", 1e-10}};
  platform.devices.front().time_model = {{"*", model}};
  return platform;
}

double joules(const Problem& problem, const DeviceGraph& graph, const GraphCrew& crew,
              const TaskSequence& sequence) {
  Schedule scratch = problem.blank;
  return cost_of(problem, graph_draft(problem, graph, sequence, crew), scratch)->joules;
}

}  // namespace

TEST_CASE("sequences found beside are better than the start, the best first, and fit", "[graph]") {
  int better = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    RandomTrainingOptions training;
    training.layers = 6;
    training.with_updates = true;
    const Problem problem = problem_of(random_training(seed, training), plain_machine(2));
    const DeviceGraph graph = *device_graph(problem, DeviceId{0});
    TaskSequence start;
    for (std::size_t t = 0; t < graph.tasks.size(); ++t) start.push_back(static_cast<TaskId>(t));
    SequenceMeter meter(graph, std::vector<double>(graph.tasks.size(), 0.0));
    const std::int64_t room = meter.measure(start).peak_bytes + static_cast<std::int64_t>(seed % 5);
    const GraphCrew crew{2, std::vector<int>(graph.tasks.size(), 0), room, std::nullopt};
    const BesideSearchOptions options{.sequences = 60, .seed = seed};
    const auto found = search_beside(problem, graph, crew, start, options);
    CHECK(search_beside(problem, graph, crew, start, options) == found);
    double before = 0;
    for (const TaskSequence& sequence : found) {
      CHECK(meter.measure(sequence).peak_bytes <= room);
      const double value = joules(problem, graph, crew, sequence);
      CHECK(value > before);
      CHECK(value < joules(problem, graph, crew, start));
      before = value;
    }
    better += found.empty() ? 0 : 1;
  }
  CHECK(better > 8);
}

TEST_CASE("with copies beside the work a U-net in 80 % is planned within 0.2 %", "[graph]") {
  Request request;
  request.memory["n0/ram"] = 69563597;
  const Problem problem =
      make_problem(read_graph(bundled("models/unet_tasks.json")),
                   read_platform(bundled("platforms/desk.json")), request, "unet");
  const Outcome outcome = plan(problem, {});
  REQUIRE(outcome.schedule);
  CHECK(outcome.schedule->predicted.joules < 9.69);
  CHECK(outcome.schedule->predicted.copied_bytes > 0);
}

TEST_CASE("a network on two workers is no dearer where tensors may be moved away", "[graph]") {
  Request request;
  request.batch = 8;
  request.memory["n0/ram"] = 277599475;  // 60 % of what keeping everything takes
  request.strategy = "graph";
  request.limit = 1;
  const Model network = read_model(bundled("models/mobilenet_v2.json"));
  const auto planned_joules = [&](bool offload) {
    request.offload = offload;
    const Outcome outcome = plan(problem_of(network, two_workers_and_a_slow_disk(), request), {});
    REQUIRE(outcome.schedule);
    return outcome.schedule->predicted.joules;
  };
  CHECK(planned_joules(true) <= planned_joules(false));
}
