#include "tests/support/random_platform.hpp"

#include <catch2/catch.hpp>
#include <set>

using namespace stint;

TEST_CASE("a seed gives the same platform again, and another seed another", "[random]") {
  CHECK(random_platform(7) == random_platform(7));
  CHECK_FALSE(random_platform(7) == random_platform(8));
}

TEST_CASE("random platforms show every feature, and only those that are asked for", "[random]") {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Platform platform = random_platform(seed);
    for (const Device& device : platform.devices) {
      seen.insert({device.kind, "settable " + to_string(device.settable),
                   "scope " + to_string(device.state_scope)});
      if (device.states.size() > 1) seen.insert("states");
    }
    for (const Memory& memory : platform.memories) seen.insert(to_string(memory.kind));
    for (const Link& link : platform.links) {
      if (link.network) seen.insert("network");
      if (link.blocking) seen.insert("blocking");
      if (!link.channel.empty()) seen.insert("channel");
    }
  }
  CHECK(seen == std::set<std::string>{"blocking", "channel", "cpu", "device", "gpu", "network",
                                      "ram", "scope device", "scope worker", "settable action",
                                      "settable none", "settable run", "states", "storage"});
}

TEST_CASE("a feature that is switched off does not appear", "[random]") {
  const auto seed = GENERATE(range(0, 50));
  const Platform platform =
      random_platform(static_cast<std::uint64_t>(seed), {.max_devices = 2,
                                                         .max_workers = 1,
                                                         .with_storage = false,
                                                         .with_states = false,
                                                         .with_channels = false,
                                                         .with_blocking = false});
  CHECK(platform.devices.size() <= 2);
  for (const Device& device : platform.devices) {
    CHECK(device.workers == 1);
    CHECK(device.states.size() == 1);
    CHECK(device.settable == Settable::none);
  }
  for (const Memory& memory : platform.memories) CHECK(memory.kind != MemoryKind::storage);
  for (const Link& link : platform.links) CHECK((link.channel.empty() && !link.blocking));
}
