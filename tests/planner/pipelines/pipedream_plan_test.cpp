// Plans of the asynchronous pipeline: what they hold, how long they take, what they refuse.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>

#include "files/input_error.hpp"
#include "planner/pipelines/pipedream_stages.hpp"
#include "planner/plan.hpp"
#include "schedules/validate.hpp"
#include "tests/planner/pipelines/equal_stages.hpp"
#include "tests/planner/problems.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

constexpr int width = 64;
constexpr std::int64_t weight_bytes = std::int64_t{width} * width * 4;

// Linear layers, all alike but for the first, whose input wants no gradient.
Network row_of_layers(int layers) {
  Network network;
  network.name = "row";
  network.inputs = {{"x", {batch_dimension, {width}}}, {"y", {batch_dimension, {width}}}};
  for (int i = 0; i < layers; ++i)
    network.layers.push_back({"fc" + std::to_string(i),
                              Linear{.features = width, .bias = false},
                              {i == 0 ? "x" : "fc" + std::to_string(i - 1)}});
  network.loss = {MeanSquaredError{}, {"fc" + std::to_string(layers - 1), "y"}};
  network.optimizer = Sgd{.learning_rate = 0.1};
  check(network);
  return network;
}

Request asking(int stages, int microbatches) {
  Request request;
  request.pipeline = "pipedream";
  request.stages = stages;
  request.batch = request.microbatches = microbatches;
  return request;
}

// A device with a memory of its own for every stage; only operations take time.
Platform row_that_counts(int devices) {
  Platform platform = row_of_devices(devices, std::int64_t{1} << 30);
  for (Device& device : platform.devices) device.time_model["*"] = {.terms = {{"flops", 1e-6}}};
  return platform;
}

Schedule planned_ahead(const Model& model, const Platform& platform, const Request& request) {
  const Outcome outcome = plan(problem_of(model, platform, request), {});
  REQUIRE(outcome.schedule);
  CHECK(validate(*outcome.schedule).empty());
  CHECK(outcome.schedule->pipelined);
  return *outcome.schedule;
}

std::vector<double> busy_seconds(const Schedule& schedule) {
  const auto all = workers(schedule.platform);
  std::vector<double> busy(schedule.platform.devices.size(), 0);
  for (const Action& action : schedule.actions) {
    if (action.what == Do::compute) busy[all[action.worker].device] += *action.seconds;
  }
  return busy;
}

// Versions of the weight at once at most: the state, and stashes from when they are written until
// they are read for the last time.
int versions_held(const Schedule& schedule, const std::string& weight) {
  struct Life {
    double begin = 0;
    double end = 0;
  };
  std::map<BufferId, Life> stashes;
  const auto is_stash = [&](BufferId buffer) {
    const TensorId tensor = schedule.buffers[buffer].tensor;
    return tensor != no_tensor && schedule.graph.tensors[tensor].name.starts_with(weight + ":");
  };
  for (const Action& action : schedule.actions) {
    for (const BufferId buffer : action.writes) {
      if (is_stash(buffer)) stashes[buffer] = {*action.start_seconds, *action.start_seconds};
    }
    for (const BufferId buffer : action.reads) {
      if (is_stash(buffer)) stashes[buffer].end = *action.start_seconds + *action.seconds;
    }
  }
  int most = 0;
  for (const auto& [buffer, life] : stashes) {
    most = std::max(
        most,
        static_cast<int>(std::count_if(stashes.begin(), stashes.end(), [&](const auto& other) {
          return other.second.begin <= life.begin && other.second.end > life.begin;
        })));
  }
  return 1 + most;
}

}  // namespace

TEST_CASE("Stages that run ahead hold as many versions of their weights as there are stages left",
          "[pipelines]") {
  const int stages = GENERATE(2, 4);
  const Schedule schedule =
      planned_ahead(row_of_layers(stages), row_that_counts(stages), asking(stages, 9));
  for (int i = 0; i < stages; ++i) {
    const bool is_read_back = i > 0;  // the first layer's input wants no gradient
    CHECK(versions_held(schedule, "fc" + std::to_string(i) + ".weight") ==
          (is_read_back ? stages - i : 1));
  }
  const auto peak = [&](int i) {
    return schedule.predicted.peak_bytes.at(memory_name(schedule.platform, MemoryId{i}));
  };
  const auto arena = [&](int i) {
    return schedule.arenas.at(memory_name(schedule.platform, MemoryId{i}));
  };
  // Everything else is alike, but for activations and samples, which are smaller.
  for (int i = 1; i + 1 < stages; ++i) {
    CHECK(std::abs(peak(i) - peak(i + 1) - weight_bytes) < weight_bytes / 2);
    CHECK(std::abs(arena(i) - arena(i + 1) - weight_bytes) < weight_bytes / 2);
  }
}

TEST_CASE("One more micro-batch takes the slowest stage's time", "[pipelines]") {
  const int stages = GENERATE(2, 3);
  const Network network = row_of_layers(2 * stages);
  const Schedule some = planned_ahead(network, row_that_counts(stages), asking(stages, 8));
  const Schedule more = planned_ahead(network, row_that_counts(stages), asking(stages, 9));
  const auto busy = busy_seconds(some);
  const double slowest = *std::max_element(busy.begin(), busy.end()) / 8;
  CHECK(slowest > 0);
  // The last micro-batches have nobody who reads the versions that they replace.
  CHECK(more.predicted.seconds - some.predicted.seconds == Approx(slowest).epsilon(0.01));
}

TEST_CASE("The stages of an asynchronous pipeline follow from the model alone", "[pipelines]") {
  const Model model = read_model(bundled("models/lenet5.json"));
  Request request = asking(3, 4);
  const auto stages = pipedream_stages(model, request);
  CHECK(stages.size() == 3);
  for (const std::string platform : {"desk", "dgx-a100", "laptop-14"}) {
    const Problem problem =
        problem_of(model, read_platform(bundled("platforms/" + platform + ".json")), request);
    CHECK(problem.blank.lowering.pipelined == stages);
    CHECK(problem.blank.pipelined);
  }
  request.pipeline = "1f1b";
  CHECK(pipedream_stages(model, request).empty());
}

TEST_CASE("More stages than workers take turns on them", "[pipelines]") {
  const Schedule schedule = planned_ahead(row_of_layers(4), row_that_counts(2), asking(4, 3));
  const auto busy = busy_seconds(schedule);
  CHECK(*std::min_element(busy.begin(), busy.end()) > 0);
}

TEST_CASE("auto never chooses what changes the bits", "[pipelines]") {
  for (const PipelineKind kind : pipeline_kinds()) CHECK(to_string(kind) != "pipedream");
  CHECK(pipeline_kind("pipedream") == PipelineKind::pipedream);
}

TEST_CASE("Asynchronous pipelines that cannot be are refused", "[pipelines]") {
  const auto refused = [](const Model& model, const Request& request) {
    CHECK_THROWS_AS(plan(problem_of(model, row_that_counts(2), request), {}), InputError);
  };
  refused(equal_stages_graph({2, 2, 1, 2, 0, 1}), asking(2, 2));
  refused(row_of_layers(2), asking(0, 2));
  refused(row_of_layers(2), asking(3, 2));
  Request uneven = asking(2, 2);
  uneven.batch = 3;
  refused(row_of_layers(2), uneven);
}
