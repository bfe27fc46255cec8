#include "platforms/names.hpp"

#include <algorithm>

namespace stint {

std::string memory_name(const Platform& platform, MemoryId memory) {
  const Memory& it = platform.memories[memory];
  return platform.nodes[it.node].name + '/' + it.name;
}

std::string device_name(const Platform& platform, DeviceId device) {
  const Device& it = platform.devices[device];
  return platform.nodes[it.node].name + '/' + it.name;
}

std::string link_name(const Platform& platform, LinkId link) {
  const Link& it = platform.links[link];
  return memory_name(platform, it.from) + '>' + memory_name(platform, it.to);
}

std::optional<MemoryId> find_memory(const Platform& platform, const std::string& name) {
  for (int i = 0; i < static_cast<int>(platform.memories.size()); ++i) {
    if (memory_name(platform, MemoryId{i}) == name) return MemoryId{i};
  }
  return std::nullopt;
}

std::optional<DeviceId> find_device(const Platform& platform, const std::string& name) {
  for (int i = 0; i < static_cast<int>(platform.devices.size()); ++i) {
    if (device_name(platform, DeviceId{i}) == name) return DeviceId{i};
  }
  return std::nullopt;
}

std::vector<Worker> workers(const Platform& platform) {
  std::vector<Worker> all;
  for (int d = 0; d < static_cast<int>(platform.devices.size()); ++d) {
    const std::string device = device_name(platform, DeviceId{d});
    for (int w = 0; w < platform.devices[d].workers; ++w) {
      all.push_back({.name = device + '/' + std::to_string(w), .device = d});
    }
  }
  for (int l = 0; l < static_cast<int>(platform.links.size()); ++l) {
    all.push_back({.name = link_name(platform, LinkId{l}), .link = l});
  }
  return all;
}

std::unordered_map<std::string, WorkerId> workers_by_name(const std::vector<Worker>& workers) {
  std::unordered_map<std::string, WorkerId> by_name;
  for (int i = 0; i < static_cast<int>(workers.size()); ++i) {
    by_name.emplace(workers[i].name, WorkerId{i});
  }
  return by_name;
}

MemoryId default_memory(const Platform& platform) {
  const auto& devices = platform.devices;
  const auto accelerator = std::find_if(devices.begin(), devices.end(),
                                        [](const Device& device) { return device.kind != "cpu"; });
  if (accelerator != devices.end()) return accelerator->memory;
  return devices.empty() ? no_memory : devices.front().memory;
}

}  // namespace stint
