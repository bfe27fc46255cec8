#include "planner/grains/choose_shards.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "files/input_error.hpp"
#include "models/check_graph.hpp"
#include "planner/plan.hpp"
#include "planner/shard_request.hpp"
#include "schedules/validate.hpp"
#include "tests/support/bundled_files.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;
using Catch::Contains;

namespace {

using enum ShardBy;

Network network_named(const std::string& name) {
  return read_network(bundled("models/" + name + ".json"));
}

std::vector<Shard> of_block(const std::vector<Shard>& shards, const std::string& block) {
  std::vector<Shard> found;
  for (Shard shard : shards) {
    if (!shard.layer.starts_with(block)) continue;
    shard.layer = shard.layer.substr(block.size());
    found.push_back(shard);
  }
  return found;
}

// A DGX with its first two GPUs, and nothing else to compute on.
Platform two_gpus() {
  Platform platform = read_platform(bundled("platforms/dgx-a100.json"));
  platform.devices.erase(platform.devices.begin() + 3, platform.devices.end());
  platform.devices.erase(platform.devices.begin());
  return platform;
}

Request least_time(std::int64_t batch) {
  return {.objective = Objective::time, .batch = batch, .strategy = "keep-all"};
}

double seconds(const Network& network, const Platform& platform, Request request,
               const std::vector<Shard>& shards) {
  request.shards = shards;
  const auto outcome = plan(make_problem(network, platform, request, network.name), {});
  return outcome.schedule.value().predicted.seconds;
}

}  // namespace

TEST_CASE("attention is cut by heads, linear layers in pairs by columns and rows", "[shards]") {
  const Network network = network_named("gpt_tiny");
  const auto shards = shards_everywhere(network, 2, ShardReach::all);
  CHECK(of_block(shards, "block.3.") == std::vector<Shard>{{"qkv", columns, 2},
                                                           {"attention", heads, 2},
                                                           {"merge", rows, 2},
                                                           {"wide", columns, 2},
                                                           {"narrow", rows, 2}});
  CHECK(of_block(shards, "scores") == std::vector<Shard>{{"", columns, 2}});
  const auto bert = shards_everywhere(network_named("bert_base"), 4, ShardReach::pairs);
  CHECK(of_block(bert, "layer.0.").size() == 7);
  CHECK(of_block(bert, "head").empty());
  CHECK(of_block(shards_everywhere(network_named("bert_base"), 4, ShardReach::linear), "head") ==
        std::vector<Shard>{{"", columns, 4}});
}

TEST_CASE("every bundled network can be cut wherever the planner would", "[shards][zoo]") {
  for (const std::string& path : bundled_files("models", "stint-model")) {
    const Network network = read_network(path);
    if (network.layers.size() > 1000) continue;
    CAPTURE(path);
    const Lowering lowering{.batch = 2,
                            .leaves = 2,
                            .fuse = true,
                            .shards = shards_everywhere(network, 3, ShardReach::all)};
    CHECK_NOTHROW(check(lower(network, lowering)));
  }
}

TEST_CASE("two GPUs take less time for shards than for whole layers", "[shards]") {
  const Network network = network_named("gpt_small");
  const Platform platform = two_gpus();
  const Request request = least_time(8);
  const double whole = seconds(network, platform, request, {});
  const double cut =
      seconds(network, platform, request, shards_everywhere(network, 2, ShardReach::linear));
  CHECK(cut < 0.75 * whole);
}

TEST_CASE("the planner cuts layers where workers would have nothing to do", "[shards]") {
  const Network network = network_named("mlp");
  Platform platform = read_platform(bundled("platforms/desk.json"));
  platform.devices[0].workers = 8;
  const Request request = least_time(4);
  const auto shards = choose_shards(network, platform, request, network.name);
  REQUIRE(!shards.empty());
  CHECK(seconds(network, platform, request, shards) <
        0.7 * seconds(network, platform, request, {}));
  platform.devices[0].workers = 1;
  CHECK(choose_shards(network, platform, request, network.name).empty());
}

TEST_CASE("shards are asked for by name, by number or not at all", "[shards]") {
  const Network network = network_named("gpt_tiny");
  const Platform platform = two_gpus();
  const auto asked = [&](const std::vector<std::string>& options) {
    return shards_of(options, network, platform, least_time(1), "gpt");
  };
  CHECK(asked({}).empty());
  CHECK(asked({"off"}).empty());
  CHECK(asked({"2"}) == shards_everywhere(network, 2, ShardReach::all));
  CHECK(asked({"block.1.wide=columns:4"}) == std::vector<Shard>{{"block.1.wide", columns, 4}});
  CHECK(asked({"block.*.wide=columns:2", "b*.0.m*e=rows:2"}).size() == 5);
  const auto fault = [&](const std::vector<std::string>& options) -> std::string {
    try {
      asked(options);
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  };
  for (const char* bad : {"wide", "wide=columns", "wide=columns:", "wide=columns:0",
                          "wide=halves:2", "=columns:2x", "0", "-2", "2.5"}) {
    CAPTURE(bad);
    CHECK_THAT(fault({bad}), Contains("--shard: ") && Contains("expected LAYER=columns:N"));
  }
  CHECK(fault({"none=rows:2"}) == "--shard: no layer is named \"none\"; expected one");
  CHECK_THAT(fault({"4096"}), Contains("no layer can be cut into so many"));
  CHECK_THROWS_WITH(shards_of({"2"}, Graph{}, platform, {}, "tasks"),
                    Contains("expected a model of layers"));
}

TEST_CASE("shards that fit into the memory come before those that do not", "[shards]") {
  const Network network = network_named("mlp");
  const Platform platform = two_gpus();
  Request request{.batch = 4, .strategy = "keep-all"};
  REQUIRE(choose_shards(network, platform, request, network.name).empty());
  const Schedule whole =
      plan(make_problem(network, platform, request, network.name), {}).schedule.value();
  std::int64_t largest = 0;
  for (const auto& [name, arena] : whole.arenas) largest = std::max(largest, arena);
  for (const Device& device : platform.devices)
    request.memory[memory_name(platform, device.memory)] = largest * 6 / 10;
  request.shards = choose_shards(network, platform, request, network.name);
  REQUIRE_FALSE(request.shards.empty());
  const auto fitting = plan(make_problem(network, platform, request, network.name), {});
  REQUIRE(fitting.schedule);
  CHECK(validate(*fitting.schedule).empty());
  request.shards.clear();
  CHECK_FALSE(plan(make_problem(network, platform, request, network.name), {}).schedule);
}

TEST_CASE("where nothing fits what is proved to be too large comes last", "[shards]") {
  const Network network = network_named("mlp");
  Platform platform = read_platform(bundled("platforms/desk.json"));
  platform.devices[0].workers = 8;
  Request request = least_time(4);
  const auto free = choose_shards(network, platform, request, network.name);
  request.memory["n0/ram"] = 1;
  CHECK(choose_shards(network, platform, request, network.name) == free);
}
