// The names by which schedules and people refer to parts of a platform: `n0/ram`, `n0/cpu`,
// `n0/cpu/3` (a worker), `n0/ram>n0/disk` (a link).
//
// Whatever performs actions is a worker: first the workers of every device, then every link.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "platforms/platform.hpp"

namespace stint {

enum WorkerId : int {};
inline constexpr WorkerId no_worker{-1};

struct Worker {
  std::string name;
  int device = -1;  // a DeviceId, or -1 if the worker is a link
  int link = -1;    // a LinkId, or -1 if the worker belongs to a device
  bool is_link() const { return link >= 0; }
};

std::string memory_name(const Platform& platform, MemoryId memory);
std::string device_name(const Platform& platform, DeviceId device);
std::string link_name(const Platform& platform, LinkId link);

std::optional<MemoryId> find_memory(const Platform& platform, const std::string& name);
std::optional<DeviceId> find_device(const Platform& platform, const std::string& name);

// All workers, indexed by WorkerId.
std::vector<Worker> workers(const Platform& platform);
std::unordered_map<std::string, WorkerId> workers_by_name(const std::vector<Worker>& workers);

// The memory that a bare `--memory SIZE` bounds: the first accelerator's, else the first device's.
MemoryId default_memory(const Platform& platform);

}  // namespace stint
