#include "platforms/discovered.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "files/input_error.hpp"

namespace stint {
namespace {

constexpr std::int64_t default_memory_bytes = std::int64_t{1} << 30;

Quantity assumed(double value, const std::string& why) {
  return {value, Basis::assumed, "default: " + why};
}

// Bytes of every memory: what hwloc found, shrunk in proportion where a limit on all is less.
std::vector<std::int64_t> usable_bytes(const Found& found) {
  std::vector<std::int64_t> usable = found.topology.memory_bytes;
  if (std::all_of(usable.begin(), usable.end(), [](auto bytes) { return bytes == 0; })) {
    usable.front() = found.memory_limit_bytes.value_or(default_memory_bytes);
  }
  double total = 0;
  for (const std::int64_t bytes : usable) total += static_cast<double>(bytes);
  const auto limit = static_cast<double>(found.memory_limit_bytes.value_or(0));
  if (!found.memory_limit_bytes || limit >= total) return usable;
  for (std::int64_t& bytes : usable) {
    bytes = static_cast<std::int64_t>(static_cast<double>(bytes) * (limit / total));
  }
  return usable;
}

// "cpu" where there is one group; else the number of its memory where several have cores, and the
// kind where there are several: -p the fastest, then -e, -e2, …
std::string group_name(const CoreGroup& group, const Topology& topology) {
  const auto differs = [&](int CoreGroup::*field) {
    return std::any_of(topology.groups.begin(), topology.groups.end(),
                       [&](const CoreGroup& other) { return other.*field != group.*field; });
  };
  std::string name = "cpu";
  if (differs(&CoreGroup::memory)) name += std::to_string(group.memory);
  if (!differs(&CoreGroup::kind)) return name;
  if (group.kind == 0) return name + "-p";
  return name + "-e" + (group.kind == 1 ? "" : std::to_string(group.kind));
}

TimeModel default_time_model() {
  TimeModel model;
  model.terms = {{"constant", assumed(1e-6, "1 us to start a task")},
                 {"flops", assumed(1.25e-10, "8 GFLOP/s per core")},
                 {"bytes", assumed(1e-10, "10 GB/s per core")}};
  return model;
}

Device device_of(const CoreGroup& group, const Topology& topology) {
  PowerState as_is;
  as_is.name = "as-is";
  as_is.busy_watts = assumed(4, "4 W per busy core");
  Device device;
  device.name = group_name(group, topology);
  device.kind = "cpu";
  device.memory = MemoryId{group.memory};
  device.workers = group.cores;
  device.idle_watts = assumed(group.cores, "1 W per idle core");
  device.states = {as_is};
  device.caches = group.caches;
  device.time_model = {{"*", default_time_model()}};
  return device;
}

// A core does the copying between two memories.
Link between_memories(int from, int to) {
  return {.from = MemoryId{from},
          .to = MemoryId{to},
          .bytes_per_second = assumed(1e10, "10 GB/s between NUMA memories"),
          .latency_seconds = assumed(1e-6, "1 us"),
          .joules_per_byte = assumed(5e-10, "0.5 nJ per byte"),
          .active_watts = {},
          .channel = "",
          .blocking = true};
}

Link with_disk(MemoryId from, MemoryId to) {
  return {.from = from,
          .to = to,
          .bytes_per_second = assumed(5e8, "500 MB/s, a SATA SSD"),
          .latency_seconds = assumed(1e-4, "100 us"),
          .joules_per_byte = assumed(5e-9, "5 nJ per byte"),
          .active_watts = {},
          .channel = "disk"};
}

void add_disk(Platform& platform, std::int64_t free_bytes) {
  if (free_bytes <= 0) return;
  // What is free changes all the time; the power of two below it seldom does.
  const auto bytes = std::bit_floor(static_cast<std::uint64_t>(free_bytes));
  const MemoryId disk{static_cast<int>(platform.memories.size())};
  platform.memories.push_back({.name = "disk",
                               .bytes = static_cast<std::int64_t>(bytes),
                               .alignment_bytes = 4096,
                               .kind = MemoryKind::storage,
                               .static_watts = {}});
  for (int i = 0; i < disk; ++i) {
    platform.links.push_back(with_disk(MemoryId{i}, disk));
    platform.links.push_back(with_disk(disk, MemoryId{i}));
  }
}

Platform described(const Found& found) {
  Platform platform;
  platform.name = "here";
  platform.description = "This machine, discovered. Its prices are defaults, not measurements.";
  platform.nodes = {{"n0", assumed(20, "20 W for board, fans and supply")}};
  const std::vector<std::int64_t> bytes = usable_bytes(found);
  const int count = static_cast<int>(bytes.size());
  for (int i = 0; i < count; ++i) {
    platform.memories.push_back({.name = i == 0 ? "ram" : "ram" + std::to_string(i),
                                 .bytes = bytes[i],
                                 .alignment_bytes = 64,
                                 .static_watts = {}});
    for (int j = 0; j < i; ++j) {
      platform.links.push_back(between_memories(j, i));
      platform.links.push_back(between_memories(i, j));
    }
  }
  for (const CoreGroup& group : found.topology.groups) {
    platform.devices.push_back(device_of(group, found.topology));
  }
  add_disk(platform, found.disk_bytes);
  return platform;
}

}  // namespace

Platform platform_of(const Found& found) {
  try {
    Platform platform = described(found);
    check(platform);
    return platform;
  } catch (const InputError&) {
    return described({});
  }
}

}  // namespace stint
