// Graphs too large for the solver on several devices: lists by energy, and what holds of their
// plans whatever the graph.
#include <catch2/catch.hpp>

#include "planner/placement/energy_list.hpp"
#include "planner/placement/placed_replay.hpp"
#include "planner/placement/placement_window.hpp"
#include "planner/plan.hpp"
#include "schedules/validate.hpp"
#include "tests/planner/graphs/random_training.hpp"
#include "tests/planner/placement/exhaustive_placement.hpp"
#include "tests/planner/placement/two_memories.hpp"
#include "tests/planner/problems.hpp"

using namespace stint;

namespace {

// So many tasks that read nothing, all alike: 1 s on the accelerator, 2 s on the processor.
Graph independent(int tasks) {
  Graph graph;
  graph.name = "independent";
  for (int t = 0; t < tasks; ++t) {
    Tensor tensor;
    tensor.name = "y" + std::to_string(t);
    tensor.bytes = 1;
    graph.tensors.push_back(tensor);
    Task task;
    task.name = "T" + std::to_string(t);
    task.writes = {static_cast<TensorId>(t)};
    task.seconds = {{"cpu", 2.0}, {"gpu", 1.0}};
    graph.tasks.push_back(task);
  }
  return graph;
}

Graph large_training(std::uint64_t seed, bool with_updates) {
  RandomTrainingOptions options;
  options.layers = 160;
  options.with_updates = with_updates;
  return on_two_devices(random_training(seed, options), seed);
}

int tasks_on(const PlacementChoice& choice, int device) {
  return static_cast<int>(std::count(choice.device.begin(), choice.device.end(), device));
}

double planned(const Graph& graph, const Platform& platform, const std::string& strategy) {
  Request request;
  request.strategy = strategy;
  request.limit = 0.3;
  const Outcome outcome = plan(problem_of(graph, platform, request), {});
  REQUIRE(outcome.schedule);
  CHECK(validate(*outcome.schedule).empty());
  const Proof& proof = outcome.schedule->predicted.objective;
  CHECK(proof.lower_bound <= proof.value);
  return proof.value;
}

// Two kinds of cores that share a memory.
Platform one_memory() {
  Platform platform = two_memories();
  platform.memories.pop_back();
  platform.links.clear();
  platform.devices[1].memory = MemoryId{0};
  return platform;
}

}  // namespace

TEST_CASE("where a second is dear a list uses all devices in proportion to their speed",
          "[placement]") {
  const Problem problem = problem_of(independent(30), two_memories());
  const auto graph = placed_graph(problem);
  const auto choice = list_by_energy(*graph, {{1, 1}, 1e9});
  REQUIRE(choice);
  CHECK(tasks_on(*choice, 0) == 10);
  CHECK(tasks_on(*choice, 1) == 20);
}

TEST_CASE("where seconds cost nothing a list leaves the device idle that takes more joules",
          "[placement]") {
  // 2 s of 20 W on the processor, 1 s of 60 W on the accelerator; their slow states likewise.
  const Problem problem = problem_of(independent(30), two_memories());
  const auto graph = placed_graph(problem);
  const auto choice = list_by_energy(*graph, {{1, 1}, 0});
  REQUIRE(choice);
  CHECK(tasks_on(*choice, 0) == 30);
}

TEST_CASE("a list needs devices that run every task", "[placement]") {
  Graph tasks = independent(3);
  tasks.tasks[1].seconds.erase("cpu");
  const Problem problem = problem_of(tasks, two_memories());
  const auto graph = placed_graph(problem);
  CHECK_FALSE(list_by_energy(*graph, {{1, 0}, 1}));
  CHECK(list_by_energy(*graph, {{1, 1}, 1}));
}

TEST_CASE("two kinds of cores in one memory get the plan that trying everything finds",
          "[placement]") {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    CAPTURE(seed);
    RandomTrainingOptions options;
    options.layers = 2;
    const Graph graph = on_two_devices(random_training(seed, options), seed);
    Platform apart = two_memories({1, 1e12, 0});
    const double least = least_joules_without_memory(problem_of(graph, apart));
    Platform platform = one_memory();
    for (Device& device : platform.devices) device.states.resize(1);
    CHECK(planned(graph, platform, "placement") == Approx(least).epsilon(1e-6));
  }
}

TEST_CASE("a stretch of the order is a problem of its own whose tasks keep their times and borders",
          "[placement]") {
  const Problem problem = problem_of(large_training(1, true), two_memories());
  const auto graph = placed_graph(problem);
  const PlacementChoice choice = *list_by_energy(*graph, {{1, 1}, 100});
  const auto window = placement_window(*graph, choice, 100, 140);
  REQUIRE(window);
  const auto& of = window->task_of;
  CHECK(static_cast<int>(of.size()) - std::count(of.begin(), of.end(), no_task) == 40);
  for (std::size_t t = 0; t < of.size(); ++t) {
    const int device = of[t] == no_task ? 0 : choice.device[of[t]];
    const double seconds = window->problem.seconds[device][t];
    CHECK((of[t] == no_task || seconds == problem.seconds[device][of[t]]));
  }
  const auto inside = placed_graph(window->problem);
  REQUIRE(inside);
  const PlacementChoice part = choice_inside(*window, *inside, choice);
  CHECK(PlacedReplay(*inside).make(part));
  const PlacementChoice back = choice_outside(*window, part, choice, 100);
  CHECK(back.order == choice.order);
  CHECK(back.device == choice.device);
}

TEST_CASE("large graphs are never worse on several devices than on the best one", "[placement]") {
  const bool with_updates = GENERATE(false, true);
  const Graph graph = large_training(3, with_updates);
  for (const Platform& platform : {two_memories(), one_memory(), two_gpus()}) {
    CAPTURE(platform.name, with_updates);
    const double together = planned(graph, platform, "auto");
    for (const std::string kind : {"cpu", "gpu"}) {
      Graph alone = graph;
      for (Task& task : alone.tasks)
        std::erase_if(task.seconds, [&](const auto& entry) { return entry.first != kind; });
      CHECK(together <= planned(alone, platform, "keep-all") * (1 + 1e-9));
    }
  }
}

TEST_CASE("a large graph that is wide is done on two devices in the time that their speeds allow",
          "[placement]") {
  TwoMemoriesOptions machine;
  machine.bytes_per_second = 1e6;
  machine.joules_per_byte = 1e-3;
  const Graph graph = independent(400);
  const Platform platform = two_memories(machine);
  Request request;
  request.objective = Objective::time;
  request.limit = 1;
  const Outcome outcome = plan(problem_of(graph, platform, request), {});
  REQUIRE(outcome.schedule);
  CHECK(outcome.schedule->predicted.seconds == Approx(267).margin(1));
  CHECK(outcome.schedule->predicted.objective.gap < 0.01);
}

TEST_CASE("energy of a large graph falls or stays when links are faster", "[placement]") {
  const Graph graph = large_training(7, false);
  double last = 0;
  for (const double speed : {0.01, 1.0, 100.0}) {
    TwoMemoriesOptions machine;
    machine.bytes_per_second = speed;
    const double joules = planned(graph, two_memories(machine), "auto");
    if (last > 0) CHECK(joules <= last * (1 + 1e-9));
    last = joules;
  }
}
