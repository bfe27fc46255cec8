// Caches have a price, and the planner finds orders that pay less of it.
#include <catch2/catch.hpp>

#include "planner/plan.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

// One worker; a cache of so many bytes, beyond which a byte costs so much.
Platform with_cache(std::int64_t bytes, double seconds_per_byte) {
  Platform platform = read_platform(bundled("platforms/desk.json"));
  Device& device = platform.devices[0];
  device.workers = 1;
  device.caches = {{2, bytes, 2}};
  device.time_model = {{"*", device.time_model.at("*")}};
  device.time_model["cache"].terms["level2"] = {seconds_per_byte};
  return platform;
}

Schedule planned(const Model& model, const Platform& platform, const Request& request) {
  return plan(make_problem(model, platform, request, "model"), {}).schedule.value();
}

Graph reader_of_old_bytes() {
  Graph graph{.name = "old"};
  for (const auto& [name, bytes] : {std::pair{"y", 60}, {"z", 60}, {"w", 4}, {"done", 0}})
    graph.tensors.push_back({.name = name, .bytes = bytes});
  const auto task = [&](const char* name, std::vector<TensorId> reads,
                        std::vector<TensorId> writes) {
    Task made{.name = name, .reads = std::move(reads), .writes = std::move(writes)};
    made.seconds["cpu"] = {1.0};
    graph.tasks.push_back(std::move(made));
  };
  task("a", {}, {TensorId{0}});
  task("b", {TensorId{0}}, {TensorId{1}, TensorId{3}});
  task("c", {TensorId{0}, TensorId{3}}, {TensorId{2}});
  graph.results = {TensorId{1}, TensorId{2}};
  return graph;
}

int place_of(const Schedule& schedule, const std::string& start_of_name) {
  for (std::size_t i = 0; i < schedule.actions.size(); ++i) {
    const Action& action = schedule.actions[i];
    if (action.what == Do::compute &&
        schedule.graph.tasks[action.task].name.starts_with(start_of_name))
      return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

TEST_CASE("bytes that are no longer in a cache take time, others none", "[caches]") {
  // Of 124 bytes in all, a finds y, which the step before read last; b finds y, but z is 124 bytes
  // ago; in c, y is 120 bytes ago and w 124.
  const Schedule small = planned(reader_of_old_bytes(), with_cache(119, 0.01), {});
  CHECK(small.predicted.seconds == Approx(3 + 0.6 + (0.6 + 0.04)));
  const Schedule larger = planned(reader_of_old_bytes(), with_cache(120, 0.01), {});
  CHECK(larger.predicted.seconds == Approx(3 + 0.6 + 0.04));
  const Schedule large = planned(reader_of_old_bytes(), with_cache(124, 0.01), {});
  CHECK(large.predicted.seconds == 3);
  const Schedule free = planned(reader_of_old_bytes(), with_cache(119, 0), {});
  CHECK(free.predicted.seconds == 3);
}

TEST_CASE("leaves go depth first through the layers where a cache holds one and not all",
          "[caches]") {
  const Network network = read_network(bundled("models/dahl_cnn.json"));
  Request request{.objective = Objective::time, .batch = 32, .leaves = 32};
  request.strategy = "keep-all";
  request.fuse = false;
  const Platform platform = with_cache(256 << 10, 1e-9);
  const Schedule whole = planned(network, platform, request);
  request.grain = auto_grain;
  const Schedule cut = planned(network, platform, request);
  CHECK(cut.predicted.seconds < 0.9 * whole.predicted.seconds);
  CHECK(place_of(cut, "relu.forward[0:") < place_of(cut, "conv.forward[16:"));
  CHECK(cut.numerics_sha256 == whole.numerics_sha256);
  // Without the price there is nothing to gain from cuts.
  CHECK(planned(network, with_cache(256 << 10, 0), request).lowering.cuts.empty());
}
