#include "executor/calibrate/found_gpus.hpp"

#include <string>

namespace stint {
namespace {

constexpr std::int64_t alignment_bytes = 256;  // what cudaMalloc keeps to

Quantity assumed(double value, const std::string& why) {
  return {value, Basis::assumed, "default: " + why};
}

Device device_of(const FoundGpu& gpu, const std::string& name, MemoryId memory) {
  PowerState as_is;
  as_is.name = "as-is";
  as_is.busy_watts = assumed(200, "200 W while it computes, beyond idle");
  TimeModel model;
  model.terms = {{"constant", assumed(5e-6, "5 us to start a kernel")},
                 {"flops", assumed(1e-13, "10 TFLOP/s")},
                 {"bytes", assumed(2e-12, "500 GB/s")}};
  Device device;
  device.name = name;
  device.kind = cuda_kind;
  device.memory = memory;
  device.idle_watts = assumed(30, "30 W idle, " + gpu.name);
  device.states = {as_is};
  device.time_model = {{"*", model}};
  return device;
}

Link link_of(MemoryId from, MemoryId to) {
  return {.from = from,
          .to = to,
          .bytes_per_second = assumed(1.2e10, "12 GB/s, PCIe 3.0 of 16 lanes"),
          .latency_seconds = assumed(1e-5, "10 us"),
          .joules_per_byte = assumed(1e-10, "0.1 nJ per byte"),
          .active_watts = {},
          .channel = ""};
}

void link_both_ways(MemoryId one, MemoryId other, Platform& platform) {
  platform.links.push_back(link_of(one, other));
  platform.links.push_back(link_of(other, one));
}

}  // namespace

void add_gpus(const std::vector<FoundGpu>& gpus, Platform& platform) {
  std::vector<MemoryId> memories;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const std::string name = "gpu" + std::to_string(i);
    const MemoryId memory{static_cast<int>(platform.memories.size())};
    platform.memories.push_back({.name = name + "-memory",
                                 .bytes = gpus[i].free_bytes,
                                 .alignment_bytes = alignment_bytes,
                                 .kind = MemoryKind::device,
                                 .static_watts = {}});
    platform.devices.push_back(device_of(gpus[i], name, memory));
    link_both_ways(MemoryId{0}, memory, platform);
    for (std::size_t j = 0; j < i; ++j) link_both_ways(memories[j], memory, platform);
    memories.push_back(memory);
  }
}

}  // namespace stint
