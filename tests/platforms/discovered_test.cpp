#include "platforms/discovered.hpp"

#include <catch2/catch.hpp>

#include "platforms/names.hpp"

using namespace stint;

namespace {

constexpr std::int64_t GiB = std::int64_t{1} << 30;

std::vector<std::string> device_names(const Platform& platform) {
  std::vector<std::string> names;
  for (const Device& device : platform.devices) names.push_back(device.name);
  return names;
}

Found machine(std::vector<std::int64_t> memories, std::vector<CoreGroup> groups) {
  return {.topology = {std::move(memories), std::move(groups)},
          .memory_limit_bytes = {},
          .disk_bytes = 0};
}

}  // namespace

TEST_CASE("a plain machine is one device called cpu", "[discovery]") {
  const Platform platform = platform_of(machine({8 * GiB}, {{0, 0, 4, {{1, 32768, 1}}}}));
  REQUIRE(device_names(platform) == std::vector<std::string>{"cpu"});
  CHECK(platform.nodes[0].name == "n0");
  CHECK(platform.devices[0].kind == "cpu");
  CHECK(platform.devices[0].workers == 4);
  CHECK(platform.devices[0].caches == std::vector<Cache>{{1, 32768, 1}});
  CHECK(platform.devices[0].time_model.count("*") == 1);
  CHECK(platform.memories[0] == Memory{NodeId{0}, "ram", 8 * GiB, 64, MemoryKind::ram, {}});
  CHECK(platform.links.empty());
}

TEST_CASE("devices are named by what tells them apart", "[discovery]") {
  using Names = std::vector<std::string>;
  const std::vector<CoreGroup> kinds = {{0, 0, 2, {}}, {0, 1, 8, {}}, {0, 2, 2, {}}};
  CHECK(device_names(platform_of(machine({GiB}, kinds))) == Names{"cpu-p", "cpu-e", "cpu-e2"});
  const std::vector<CoreGroup> memories = {{0, 0, 2, {}}, {2, 0, 2, {}}};
  CHECK(device_names(platform_of(machine({GiB, GiB, GiB}, memories))) == Names{"cpu0", "cpu2"});
  const std::vector<CoreGroup> both = {{0, 0, 1, {}}, {0, 1, 1, {}}, {1, 1, 1, {}}};
  CHECK(device_names(platform_of(machine({GiB, GiB}, both))) ==
        Names{"cpu0-p", "cpu0-e", "cpu1-e"});
}

TEST_CASE("every two NUMA memories are linked both ways, and a core does the copying",
          "[discovery]") {
  const Platform platform = platform_of(machine({GiB, GiB, GiB}, {{0, 0, 2, {}}, {1, 0, 2, {}}}));
  REQUIRE(platform.links.size() == 6);
  for (const Link& link : platform.links) CHECK(link.blocking);
  CHECK(find_memory(platform, "n0/ram2") == MemoryId{2});
}

TEST_CASE("the disk is as large as the power of two below its free bytes", "[discovery]") {
  Found found = machine({GiB}, {{0, 0, 2, {}}});
  found.disk_bytes = 100 * GiB;
  const Platform platform = platform_of(found);
  CHECK(platform.memories[1] == Memory{NodeId{0}, "disk", 64 * GiB, 4096, MemoryKind::storage, {}});
  REQUIRE(platform.links.size() == 2);
  CHECK(link_name(platform, LinkId{0}) == "n0/ram>n0/disk");
  CHECK(link_name(platform, LinkId{1}) == "n0/disk>n0/ram");
  CHECK(platform.links[0].channel == platform.links[1].channel);
}

TEST_CASE("a limit on all memories shrinks each in proportion", "[discovery]") {
  Found found = machine({3 * GiB, GiB}, {{0, 0, 2, {}}});
  found.memory_limit_bytes = 2 * GiB;
  Platform platform = platform_of(found);
  CHECK(platform.memories[0].bytes == 3 * GiB / 2);
  CHECK(platform.memories[1].bytes == GiB / 2);
  found.memory_limit_bytes = 5 * GiB;
  platform = platform_of(found);
  CHECK(platform.memories[0].bytes == 3 * GiB);
}

TEST_CASE("a memory of unknown size is as large as the limit, else a gibibyte", "[discovery]") {
  CHECK(platform_of({}).memories[0].bytes == GiB);
  CHECK(platform_of({.topology = {}, .memory_limit_bytes = 5000}).memories[0].bytes == 5000);
}

TEST_CASE("a machine that no platform can hold becomes the least machine", "[discovery]") {
  const Platform least = platform_of({});
  REQUIRE_NOTHROW(check(least));
  CHECK(least.devices[0].workers == 1);
  CHECK(platform_of(machine({GiB}, {{0, 0, 100000, {}}})) == least);
}

TEST_CASE("every price of a discovered machine is assumed, and called a default", "[discovery]") {
  Found found = machine({GiB, GiB}, {{0, 0, 2, {}}, {1, 0, 2, {}}});
  found.disk_bytes = GiB;
  const Platform platform = platform_of(found);
  std::vector<Quantity> prices = {platform.nodes[0].base_watts};
  for (const Device& device : platform.devices) {
    prices.push_back(device.idle_watts);
    prices.push_back(device.states[0].busy_watts);
    for (const auto& [feature, price] : device.time_model.at("*").terms) prices.push_back(price);
  }
  for (const Link& link : platform.links) {
    prices.insert(prices.end(),
                  {link.bytes_per_second, link.latency_seconds, link.joules_per_byte});
  }
  for (const Quantity& price : prices) {
    CHECK(price.value > 0);
    CHECK(price.basis == Basis::assumed);
    CHECK_THAT(price.source, Catch::StartsWith("default: "));
  }
}
