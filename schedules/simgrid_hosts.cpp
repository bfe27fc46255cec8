#include "schedules/simgrid_hosts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "schedules/cost.hpp"

namespace stint {
namespace {

bool workers_may_differ(const Device& device) {
  const bool by_class =
      std::any_of(device.states.begin(), device.states.end(),
                  [](const PowerState& state) { return !state.busy_watts_by_class.empty(); });
  const bool by_state = device.settable != Settable::none &&
                        device.state_scope == StateScope::worker && device.states.size() > 1;
  return device.workers > 1 && (by_class || by_state);
}

}  // namespace

std::string cache_host(const std::string& device_name, std::size_t cache) {
  return fmt::format("{}/cache{}", device_name, cache);
}

std::vector<HostState> host_states(const Device& device) {
  std::vector<HostState> states;
  const int count = static_cast<int>(device.states.size());
  for (int s = 0; s < count; ++s) states.push_back({s, "", device.states[s].busy_watts});
  for (int s = 0; s < count; ++s) {
    for (const auto& [op_class, watts] : device.states[s].busy_watts_by_class) {
      states.push_back({s, op_class, watts});
    }
  }
  return states;
}

int host_state(const Device& device, const Task& task, int state) {
  if (device.states[state].busy_watts_by_class.empty()) return state;
  const std::string wanted = op_class(task.op);
  const auto states = host_states(device);
  const auto found = std::find_if(states.begin(), states.end(), [&](const HostState& one) {
    return one.state == state && one.op_class == wanted;
  });
  return found == states.end() ? state : static_cast<int>(found - states.begin());
}

bool has_host_per_worker(const Platform& platform, const Device& device) {
  const bool may_be_occupied = std::any_of(platform.links.begin(), platform.links.end(),
                                           [](const Link& link) { return link.blocking; });
  return workers_may_differ(device) || (may_be_occupied && device.active_watts > 0);
}

}  // namespace stint
