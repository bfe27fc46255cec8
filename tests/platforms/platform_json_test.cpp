#include "platforms/platform_json.hpp"

#include <catch2/catch.hpp>

#include "files/input_error.hpp"
#include "files/json_reader.hpp"
#include "tests/platforms/two_nodes.hpp"
#include "tests/support/random_platform.hpp"

using namespace stint;

TEST_CASE("a platform read back from its text is the same platform", "[platform]") {
  const auto seed = GENERATE(range(0, 300));
  const Platform platform = random_platform(static_cast<std::uint64_t>(seed));
  CAPTURE(seed, platform_text(platform));
  REQUIRE_NOTHROW(check(platform));
  const Platform again = parse_platform(platform_text(platform), "p.json");
  REQUIRE(again == platform);
  REQUIRE(platform_text(again) == platform_text(platform));
}

TEST_CASE("every field of a platform file is read", "[platform]") {
  const Platform platform = parse_platform(two_nodes(), "p.json");
  CHECK(platform.name == "two");
  CHECK(platform.description == "two nodes");
  CHECK(platform.nodes[0] == Node{"n0", Quantity(20.5, Basis::measured, "a meter")});
  CHECK(platform.memories.size() == 4);
  CHECK(platform.memories[1] == Memory{NodeId{0}, "disk", 5000, 4096, MemoryKind::storage, 0.5});
  CHECK(platform.memories[2] == Memory{NodeId{0}, "hbm", 2048, 1, MemoryKind::device, {}});
  const Device& gpu = platform.devices[1];
  CHECK(gpu.memory == MemoryId{2});
  CHECK(gpu.workers == 3);
  CHECK(gpu.active_watts == Quantity(2.0));
  CHECK(gpu.wait_watts == Quantity(0.25));
  CHECK(gpu.settable == Settable::action);
  CHECK(gpu.state_scope == StateScope::device);
  CHECK(gpu.caches == std::vector<Cache>{{1, 32768, 2, {6e-11, Basis::assumed, "a guess"}}});
  const Link& last = platform.links.back();
  CHECK(last == Link{MemoryId{0}, MemoryId{3}, true, 3e9, 2e-6, 1e-9, 0.5, "eth", true});
}

TEST_CASE("power states, time models and kernels are read", "[platform]") {
  const Device gpu = parse_platform(two_nodes(), "p.json").devices[1];
  PowerState slow;
  slow.name = "slow";
  slow.speed = 0.5;
  slow.busy_watts = 3.0;
  slow.busy_watts_by_class = {{"gemm", 4.0}};
  slow.switch_seconds = 0.125;
  slow.switch_joules = 0.75;
  CHECK(gpu.states[1] == slow);
  const TimeModel& model = gpu.time_model.at("conv2d.forward");
  CHECK(model.terms.at("flops").value == 7e-12);
  CHECK(model.knots.at("bytes").at(1310720).value == 4e-11);
  CHECK(model.sigma == Quantity(0.08));
  CHECK(model.correction ==
        TimeCorrection{{"bytes", "flops"}, {0.5, 2}, 0.25, {{{10, 12.5}, 3, 1.25}}});
  CHECK(gpu.kernels ==
        std::vector<Kernel>{{"gemm", "8x8", "f32", "nhwc", "direct", "", 8192, 0.5}});
}

TEST_CASE("what a platform file leaves out takes its default", "[platform]") {
  const Platform platform = parse_platform(R"({"format": "stint-platform", "version": 1, "name": "",
    "nodes": [{"name": "a", "memories": [{"name": "m", "bytes": 0}],
      "devices": [{"name": "d", "kind": "cpu", "memory": "m", "workers": 1,
                   "states": [{"name": "s", "speed": 1, "busy_watts": 0}]}]}]})",
                                           "p.json");
  CHECK(platform.description.empty());
  CHECK(platform.nodes[0].base_watts == Quantity{});
  CHECK(platform.memories[0] == Memory{NodeId{0}, "m", 0, 1, MemoryKind::ram, {}});
  CHECK(platform.devices[0].settable == Settable::none);
  CHECK(platform.devices[0].state_scope == StateScope::worker);
  CHECK(platform.devices[0].idle_watts == Quantity{});
  CHECK(platform.links.empty());
}

TEST_CASE("the writer leaves defaults out and keeps a short item on one line", "[platform]") {
  const Platform platform = parse_platform(two_nodes(), "p.json");
  const std::string text = platform_text(platform);
  CHECK_THAT(text, Catch::StartsWith("{\"format\": \"stint-platform\",\n \"version\": 1,\n"));
  CHECK_THAT(text, Catch::Contains("\n    {\"name\": \"hbm\", \"bytes\": 2048, "
                                   "\"kind\": \"device\"}"));
  CHECK_THAT(text, Catch::Contains("{\"name\": \"fast\", \"speed\": 1.0, \"busy_watts\": 7.0}"));
  CHECK_THAT(text, !Catch::Contains("null"));
}

TEST_CASE("a fault in an embedded platform is reported where it stands", "[platform]") {
  const std::string text = R"({"platform": )" + two_nodes("\"workers\": 3", "\"workers\": 0") + "}";
  const auto document = parse_json(text, "s.json");
  REQUIRE_THROWS_WITH(
      platform_from_json(JsonReader(document, "s.json").child("platform")),
      "s.json: /platform/nodes/0/devices/1/workers: 0; expected a whole number from 1 to 65536");
}

TEST_CASE("a fault that only the checks see is also reported where it stands", "[platform]") {
  const std::string text = R"({"platform": )" + two_nodes("\"slow\"", "\"fast\"") + "}";
  const auto document = parse_json(text, "s.json");
  REQUIRE_THROWS_WITH(platform_from_json(JsonReader(document, "s.json").child("platform")),
                      "s.json: /platform/nodes/0/devices/1/states/1/name: the name \"fast\" is "
                      "taken; expected names that differ among the states of a device");
}

TEST_CASE("a platform file that is missing is bad input", "[platform]") {
  REQUIRE_THROWS_AS(read_platform("no/such/file.json"), InputError);
}
