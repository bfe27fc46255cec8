// What stages compute again: the solver of chains next to what takes the least time for its bytes.
#include "planner/pipelines/stage_chains.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <random>

#include "planner/pipelines/pipeline_design.hpp"
#include "planner/placement/placed_replay.hpp"
#include "planner/plan.hpp"
#include "schedules/validate.hpp"
#include "tests/planner/pipelines/equal_stages.hpp"
#include "tests/planner/problems.hpp"

using namespace stint;

namespace {

struct LayerSize {
  int seconds = 1;
  int bytes = 1;
};

// Micro-batches of a chain of layers, each of whose backwards reads what its forward read.
Graph chain_of(const std::vector<LayerSize>& layers, int microbatches) {
  Graph graph;
  graph.name = "unequal";
  const auto tensor = [&](const std::string& name, std::int64_t bytes, Kind kind) {
    graph.tensors.push_back({name, bytes, kind, {}});
    return static_cast<TensorId>(graph.tensors.size() - 1);
  };
  const auto task = [&](const std::string& name, Phase phase, std::vector<TensorId> reads,
                        TensorId written, double seconds) {
    Task made;
    made.name = name, made.phase = phase, made.op = name.substr(0, name.find('.'));
    made.reads = std::move(reads), made.writes = {written};
    made.seconds["cpu"] = Quantity{seconds};
    graph.tasks.push_back(made);
  };
  const int count = static_cast<int>(layers.size());
  for (int j = 0; j < microbatches; ++j) {
    std::vector<TensorId> x{tensor(fmt::format("x.{}", j), 1, Kind::input)};
    for (int l = 0; l < count; ++l) {
      x.push_back(tensor(fmt::format("y{}.{}", l, j), layers[l].bytes, Kind::activation));
      task(fmt::format("layer{}.F{}", l, j), Phase::forward, {x[l]}, x[l + 1], layers[l].seconds);
    }
    TensorId gradient = x.back();
    for (int l = count; l-- > 0;) {
      const TensorId g = tensor(fmt::format("g{}.{}", l, j), 1, Kind::activation);
      task(fmt::format("layer{}.B{}", l, j), Phase::backward, {gradient, x[l]}, g,
           2 * layers[l].seconds);
      gradient = g;
    }
  }
  check(graph);
  return graph;
}

Request asking(const std::string& pipeline) {
  Request request;
  request.pipeline = pipeline;
  request.stages = 2;
  return request;
}

// The least joules of a two-stage pipeline within the bytes, all shares of recomputing tried one
// way; infinite if none fits.
double least_joules(const Problem& problem, PipelineKind kind, int cut, std::int64_t bytes,
                    Recomputing how) {
  const auto graph = placed_graph(problem);
  const PipelineTasks tasks = pipeline_tasks(*graph);
  StageChains chains(*graph, tasks);
  PlacedReplay replay(*graph);
  double least = std::numeric_limits<double>::infinity();
  for (int first = 0; first <= most_recomputing; first += 2) {
    for (int second = 0; second <= most_recomputing; second += 2) {
      PipelineDesign design{
          kind, 1, {cut, tasks.layers}, {{WorkerId{0}}, {WorkerId{1}}}, false, {first, second}};
      design.recomputes = how;
      const auto choice = pipeline_choice(*graph, tasks, design, chains);
      if (!choice || !replay.make(*choice)) continue;
      const auto& peaks = replay.peak_bytes();
      if (peaks[0] <= bytes && peaks[1] <= bytes) least = std::min(least, replay.joules());
    }
  }
  return least;
}

std::vector<LayerSize> random_layers(int count, int seed) {
  std::mt19937 random(seed);
  std::vector<LayerSize> layers;
  for (int l = 0; l < count; ++l)
    layers.push_back({static_cast<int>(random() % 8) + 1, static_cast<int>(random() % 16) + 1});
  return layers;
}

}  // namespace

TEST_CASE("A stage that is a chain drops what the solver of chains says", "[pipelines]") {
  const Graph graph = chain_of(std::vector<LayerSize>(8, {1, 10}), 2);
  const Problem problem = problem_of(graph, row_of_devices(2), asking("gpipe"));
  const auto placed = placed_graph(problem);
  const PipelineTasks tasks = pipeline_tasks(*placed);
  StageChains chains(*placed, tasks);
  const StageOutputs* const all = chains.dropped(0, 4, DeviceId{0}, 0, 16);
  REQUIRE(all != nullptr);
  CHECK(all->empty());
  const StageOutputs* const most = chains.dropped(0, 4, DeviceId{0}, 16, 16);
  REQUIRE(most != nullptr);
  CHECK(most->size() >= 2);
  CHECK(chains.dropped(0, 4, DeviceId{0}, 16, 16) == most);
}

TEST_CASE("Stages compute again for no more than what the cheapest bytes would cost",
          "[pipelines]") {
  int better = 0;
  for (int seed = 0; seed < 6; ++seed) {
    const Graph graph = chain_of(random_layers(12, seed), 4);
    const Problem roomy = problem_of(graph, row_of_devices(2), asking("1f1b"));
    const Schedule free = plan(roomy, {}).schedule.value();
    for (const int percent : {75, 60, 45}) {
      const std::int64_t bytes = free.predicted.peak_bytes.at("n0/m0") * percent / 100;
      const Problem tight = problem_of(graph, row_of_devices(2, bytes), asking("1f1b"));
      double greedy = std::numeric_limits<double>::infinity();
      double chains = greedy;
      for (int cut = 4; cut <= 8; ++cut) {
        const auto least = [&](Recomputing how) {
          return least_joules(tight, PipelineKind::one_f_one_b, cut, bytes, how);
        };
        greedy = std::min(greedy, least(Recomputing::cheapest_bytes));
        chains = std::min(chains, least(Recomputing::chains));
      }
      better += chains < greedy * (1 - 1e-9) ? 1 : 0;
      CAPTURE(seed, percent, greedy, chains);
    }
  }
  CHECK(better >= 3);
}

TEST_CASE("A pipeline in little memory is never worse than with the cheapest bytes alone",
          "[pipelines]") {
  const int seed = GENERATE(1, 2, 3);
  const int percent = GENERATE(80, 55);
  const Graph graph = chain_of(random_layers(10, seed), 4);
  const Schedule free =
      plan(problem_of(graph, row_of_devices(2), asking("1f1b")), {}).schedule.value();
  const std::int64_t bytes = free.predicted.peak_bytes.at("n0/m0") * percent / 100;
  const Problem tight = problem_of(graph, row_of_devices(2, bytes), asking("1f1b"));
  const Outcome outcome = plan(tight, {});
  if (!outcome.schedule) return;
  CHECK(validate(*outcome.schedule).empty());
  int cut = 0;  // of the plan
  const auto all = workers(tight.platform());
  for (const Action& action : outcome.schedule->actions) {
    if (action.what != Do::compute || all[action.worker].device != 0) continue;
    const std::string& name = tight.graph().tasks[action.task].name;
    if (name.find(".F") != std::string::npos) cut = std::max(cut, std::stoi(name.substr(5)) + 1);
  }
  const double greedy =
      least_joules(tight, PipelineKind::one_f_one_b, cut, bytes, Recomputing::cheapest_bytes);
  CHECK(outcome.schedule->predicted.joules <= greedy + 1e-9);
}
