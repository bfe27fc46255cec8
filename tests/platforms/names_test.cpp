#include "platforms/names.hpp"

#include <catch2/catch.hpp>

#include "tests/platforms/two_nodes.hpp"
#include "tests/support/random_platform.hpp"

using namespace stint;

TEST_CASE("memories, devices and links are named by their node", "[names]") {
  const Platform platform = parse_platform(two_nodes(), "p.json");
  CHECK(memory_name(platform, MemoryId{3}) == "n1/ram");
  CHECK(device_name(platform, DeviceId{1}) == "n0/gpu");
  CHECK(link_name(platform, LinkId{0}) == "n0/ram>n0/disk");
  CHECK(link_name(platform, LinkId{2}) == "n0/ram>n1/ram");
}

TEST_CASE("a full name finds its memory or device, and nothing else does", "[names]") {
  const Platform platform = parse_platform(two_nodes(), "p.json");
  CHECK(find_memory(platform, "n1/ram") == MemoryId{3});
  CHECK(find_device(platform, "n0/gpu") == DeviceId{1});
  CHECK_FALSE(find_memory(platform, "ram"));
  CHECK_FALSE(find_memory(platform, "n0/gpu"));
  CHECK_FALSE(find_device(platform, "n0/gpu/0"));
  CHECK_FALSE(find_device(platform, ""));
}

TEST_CASE("workers are those of the devices, then the links", "[names]") {
  const auto all = workers(parse_platform(two_nodes(), "p.json"));
  std::vector<std::string> names;
  for (const Worker& worker : all) names.push_back(worker.name);
  REQUIRE(names == std::vector<std::string>{"n0/cpu/0", "n0/cpu/1", "n0/gpu/0", "n0/gpu/1",
                                            "n0/gpu/2", "n0/ram>n0/disk", "n0/ram>n0/hbm",
                                            "n0/ram>n1/ram"});
  CHECK(all[2].device == 1);
  CHECK_FALSE(all[2].is_link());
  CHECK(all[6].link == 1);
  CHECK(all[6].is_link());
}

TEST_CASE("every worker is found by its name", "[names]") {
  const auto seed = GENERATE(range(0, 50));
  const auto all = workers(random_platform(static_cast<std::uint64_t>(seed)));
  const auto by_name = workers_by_name(all);
  REQUIRE(by_name.size() == all.size());
  for (int i = 0; i < static_cast<int>(all.size()); ++i) {
    REQUIRE(by_name.at(all[i].name) == WorkerId{i});
  }
}

TEST_CASE("the default memory is the first accelerator's, else the first device's", "[names]") {
  Platform platform = parse_platform(two_nodes(), "p.json");
  CHECK(default_memory(platform) == MemoryId{2});
  platform.devices.pop_back();
  CHECK(default_memory(platform) == MemoryId{0});
}
