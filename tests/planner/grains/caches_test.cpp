// Caches have a price, and the planner finds orders that pay less of it.
#include <catch2/catch.hpp>

#include "planner/plan.hpp"
#include "schedules/simulate.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/schedule_builder.hpp"

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

// The same for joules alone.
Platform with_joules(std::int64_t bytes, double joules_per_byte) {
  Platform platform = with_cache(bytes, 0);
  platform.devices[0].time_model.erase("cache");
  platform.devices[0].caches[0].joules_per_byte = joules_per_byte;
  return platform;
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
  const Schedule small = plan_of(reader_of_old_bytes(), with_cache(119, 0.01), {});
  CHECK(small.predicted.seconds == Approx(3 + 0.6 + (0.6 + 0.04)));
  const Schedule larger = plan_of(reader_of_old_bytes(), with_cache(120, 0.01), {});
  CHECK(larger.predicted.seconds == Approx(3 + 0.6 + 0.04));
  const Schedule large = plan_of(reader_of_old_bytes(), with_cache(124, 0.01), {});
  CHECK(large.predicted.seconds == 3);
  const Schedule free = plan_of(reader_of_old_bytes(), with_cache(119, 0), {});
  CHECK(free.predicted.seconds == 3);
}

namespace {

Network images() { return read_network(bundled("models/dahl_cnn.json")); }

// In as many leaves as there are samples, which may or may not be cut.
Schedule planned_in_leaves(const Platform& platform, Objective objective, std::int64_t grain) {
  Request request{.objective = objective, .batch = 32, .leaves = 32};
  request.strategy = "keep-all";
  request.fuse = false;
  request.grain = grain;
  return plan_of(images(), platform, request);
}

bool is_depth_first(const Schedule& schedule) {
  return place_of(schedule, "relu.forward[0:") < place_of(schedule, "conv.forward[16:");
}

}  // namespace

TEST_CASE("leaves go depth first through the layers where a cache holds one and not all",
          "[caches]") {
  const Platform platform = with_cache(256 << 10, 1e-9);
  const Schedule whole = planned_in_leaves(platform, Objective::time, 0);
  const Schedule cut = planned_in_leaves(platform, Objective::time, auto_grain);
  CHECK(cut.predicted.seconds < 0.9 * whole.predicted.seconds);
  CHECK(is_depth_first(cut));
  CHECK(cut.numerics_sha256 == whole.numerics_sha256);
  // Without the price there is nothing to gain from cuts.
  const Platform free = with_cache(256 << 10, 0);
  CHECK(planned_in_leaves(free, Objective::time, auto_grain).lowering.cuts.empty());
}

TEST_CASE("leaves go depth first for energy where only joules of a cache differ", "[caches]") {
  const Platform platform = with_joules(256 << 10, 5e-9);
  const Schedule whole = planned_in_leaves(platform, Objective::energy, 0);
  const Schedule cut = planned_in_leaves(platform, Objective::energy, auto_grain);
  CHECK(simulate(cut).cache_joules < 0.8 * simulate(whole).cache_joules);
  CHECK(cut.predicted.joules < 0.9 * whole.predicted.joules);
  CHECK(is_depth_first(cut));
  CHECK(broken_rules(cut) == std::vector<int>{});
  CHECK(cut.numerics_sha256 == whole.numerics_sha256);
  const Platform free = with_joules(256 << 10, 0);
  CHECK(planned_in_leaves(free, Objective::energy, auto_grain).lowering.cuts.empty());
  // For time they are no matter.
  CHECK(planned_in_leaves(platform, Objective::time, auto_grain).lowering.cuts.empty());
}

TEST_CASE("joules of caches leave every bound below the plan", "[caches]") {
  const Network network = read_network(bundled("models/mlp.json"));
  for (const char* strategy : {"keep-all", "chain", "graph", "auto"}) {
    CAPTURE(strategy);
    Request request{.batch = 8, .limit = 0.2};
    request.strategy = strategy;
    const Schedule free = plan_of(network, with_joules(1 << 10, 0), request);
    const Schedule priced = plan_of(network, with_joules(1 << 10, 5e-9), request);
    CHECK(simulate(priced).cache_joules > 0);
    CHECK(priced.predicted.objective.lower_bound <= priced.predicted.joules);
    CHECK(priced.predicted.joules >= free.predicted.joules);
    CHECK_FALSE(priced.predicted.optimal);
    CHECK(broken_rules(priced) == std::vector<int>{});
  }
}
