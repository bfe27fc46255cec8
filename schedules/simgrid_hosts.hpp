// How the parts of a platform become SimGrid's hosts, for simgrid.hpp.
//
// A device is one host with a core for every worker, its power states are the host's, and its watts
// are SimGrid's Idle:Epsilon:AllCores. That needs all busy workers to add the same watts at any one
// time, and every busy worker to compute. Where they may differ (states set per worker, watts by op
// class, copies that occupy workers of a device with active watts) every worker is a host of its
// own, with its busy watts, and the device is a host beside them, with its idle and active watts.
#pragma once

#include <string>
#include <vector>

#include "schedules/schedule.hpp"

namespace stint {

inline constexpr double flops_at_speed_1 = 1e9;  // per second

// A cache with joules for bytes that are not in it is a host too, whose flops are such bytes; no
// worker fetches more of them in a second.
inline constexpr double most_fetched_per_second = 1e15;
std::string cache_host(const std::string& device_name, std::size_t cache);

// A power state of a host: one of the device's states, for ops of one class or ("") of the others.
struct HostState {
  int state = 0;
  std::string op_class;
  double busy_watts = 0;
};

// The device's own states come first, so that a state of the device is also one of the host.
std::vector<HostState> host_states(const Device& device);

// Index into host_states() for a task in a state of the device.
int host_state(const Device& device, const Task& task, int state);

bool has_host_per_worker(const Platform& platform, const Device& device);

}  // namespace stint
