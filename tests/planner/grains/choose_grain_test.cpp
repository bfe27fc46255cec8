#include "planner/grains/choose_grain.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "planner/plan.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

Platform equal_workers(int workers) {
  Platform platform = read_platform(bundled("platforms/desk.json"));
  platform.devices[0].workers = workers;
  platform.devices[0].time_model = {{"*", platform.devices[0].time_model.at("*")}};
  platform.memories[0].bytes = std::int64_t{64} << 30;
  return platform;
}

Network large_images() { return read_network(bundled("models/dahl_cnn_512.json")); }

Request hundred_leaves() {
  Request request{.objective = Objective::time, .batch = 100, .leaves = 100};
  request.strategy = "keep-all";
  request.fuse = false;
  request.grain = auto_grain;
  return request;
}

std::vector<double> speeds_of(const Platform& platform) {
  std::vector<double> speeds;
  for (const Device& device : platform.devices)
    speeds.push_back(1 / device.time_model.at("*").terms.at("flops").value);
  return speeds;
}

// Work over what all workers could have done in that time, each at its own speed.
double efficiency(const Schedule& schedule) {
  const std::vector<double> speeds = speeds_of(schedule.platform);
  const std::vector<Worker> all = workers(schedule.platform);
  double work = 0;
  for (const Action& action : schedule.actions) {
    if (action.what == Do::compute)
      work += action.seconds.value() * speeds[all[action.worker].device];
  }
  double most = 0;
  for (std::size_t d = 0; d < speeds.size(); ++d)
    most += speeds[d] * schedule.platform.devices[d].workers;
  return work / (most * schedule.predicted.seconds);
}

// As many tasks of one size as a network's layer might be cut into.
Graph equal_tasks(int count) {
  Graph graph{.name = "equal"};
  for (int i = 0; i < count; ++i) {
    const auto made = static_cast<TensorId>(i);
    graph.tensors.push_back({.name = "y" + std::to_string(i), .bytes = 4});
    Task task{.name = "t" + std::to_string(i), .op = "conv2d.forward", .flops = 8.125e9};
    task.writes = {made};
    graph.tasks.push_back(std::move(task));
    graph.results.push_back(made);
  }
  return graph;
}

std::map<std::string, int> most_tasks_by_device(const Schedule& schedule) {
  std::map<WorkerId, int> tasks;
  for (const Action& action : schedule.actions) ++tasks[action.worker];
  std::map<std::string, int> most;
  const std::vector<Worker> all = workers(schedule.platform);
  for (const auto& [worker, count] : tasks) {
    int& so_far = most[schedule.platform.devices[all[worker].device].name];
    so_far = std::max(so_far, count);
  }
  return most;
}

}  // namespace

TEST_CASE("2, 8 and 28 equal workers are busy with large images nearly all the time", "[grains]") {
  const int workers = GENERATE(2, 8, 28);
  CAPTURE(workers);
  const Schedule schedule = plan_of(large_images(), equal_workers(workers), hundred_leaves());
  CHECK(efficiency(schedule) >= 0.95);
  // Gathered where cutting costs: no plan of one leaf a piece is as short.
  Request finest = hundred_leaves();
  finest.grain = 1;
  const Schedule cut = plan_of(large_images(), equal_workers(workers), finest);
  CHECK(schedule.predicted.seconds < 0.8 * cut.predicted.seconds);
}

TEST_CASE("what is computed in one go is cut as well, and takes less time", "[grains]") {
  const int workers = GENERATE(8, 28);
  CAPTURE(workers);
  Request fused = hundred_leaves();
  fused.fuse = true;
  const Schedule together = plan_of(large_images(), equal_workers(workers), fused);
  const Schedule apart = plan_of(large_images(), equal_workers(workers), hundred_leaves());
  CHECK(together.predicted.seconds < 0.5 * apart.predicted.seconds);
  CHECK(efficiency(together) > 0.85);
}

TEST_CASE("three kinds of cores finish large images together", "[grains]") {
  const Platform laptop = read_platform(bundled("platforms/laptop-14.json"));
  CHECK(efficiency(plan_of(large_images(), laptop, hundred_leaves())) >= 0.95);
}

TEST_CASE("a plan gives three kinds of cores 14, 22 and 13 of 256 tasks", "[grains]") {
  const Platform laptop = read_platform(bundled("platforms/laptop-14.json"));
  Request request{.objective = Objective::time};
  request.strategy = "keep-all";
  const Schedule schedule = plan_of(equal_tasks(256), laptop, request);
  CHECK(most_tasks_by_device(schedule) ==
        std::map<std::string, int>{{"middle", 14}, {"fast", 22}, {"slow", 13}});
  CHECK(schedule.predicted.seconds == Approx(1.43).epsilon(0.001));
}

TEST_CASE("cuts are chosen alike every time, and none for one worker or one leaf", "[grains]") {
  const Network network = read_network(bundled("models/dahl_cnn.json"));
  Request request{.batch = 32, .leaves = 32};
  request.grain = auto_grain;
  const Grain grain = choose_grain(network, equal_workers(4), request, "model");
  CHECK(choose_grain(network, equal_workers(4), request, "model") == grain);
  CHECK(choose_grain(network, equal_workers(1), request, "model") == Grain{});
  request.leaves = 1;
  CHECK(choose_grain(network, equal_workers(4), request, "model") == Grain{});
}

TEST_CASE("work that is too short to share stays whole", "[grains]") {
  Platform platform = equal_workers(4);
  platform.devices[0].time_model.at("*").terms["constant"] = {1.0};
  const Request request{.objective = Objective::energy, .batch = 8, .leaves = 8};
  const Network network = read_network(bundled("models/dahl_cnn.json"));
  CHECK(choose_grain(network, platform, request, "model").cuts.empty());
}
