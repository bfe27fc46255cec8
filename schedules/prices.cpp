#include "schedules/prices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "platforms/names.hpp"

namespace stint {
namespace {

class PriceList {
 public:
  void add(const std::string& owner, const char* key, const Quantity& quantity) {
    if (quantity.value == 0 && quantity.basis == Basis::stated) return;
    list_.push_back({owner + ' ' + key, quantity});
  }

  void add_device(const Device& device, const std::string& name) {
    add(name, "idle_watts", device.idle_watts);
    add(name, "active_watts", device.active_watts);
    add(name, "wait_watts", device.wait_watts);
    for (const PowerState& state : device.states) add_state(state, name + ' ' + state.name);
    for (const Cache& cache : device.caches) {
      add(fmt::format("{} level{}", name, cache.level), "joules_per_byte", cache.joules_per_byte);
    }
    for (const auto& [op, model] : device.time_model) {
      for (const auto& [term, quantity] : model.terms) {
        add(name + " time_model " + op, term.c_str(), quantity);
      }
    }
  }

  void add_state(const PowerState& state, const std::string& name) {
    const bool reference = state.speed.basis == Basis::stated && state.speed.value == 1;
    if (!reference) add(name, "speed", state.speed);
    add(name, "busy_watts", state.busy_watts);
    for (const auto& [op_class, watts] : state.busy_watts_by_class) {
      add(name + " busy_watts_by_class", op_class.c_str(), watts);
    }
    add(name, "switch_seconds", state.switch_seconds);
    add(name, "switch_joules", state.switch_joules);
  }

  void add_link(const Link& link, const std::string& name) {
    add(name, "bytes_per_second", link.bytes_per_second);
    add(name, "latency_seconds", link.latency_seconds);
    add(name, "joules_per_byte", link.joules_per_byte);
    add(name, "active_watts", link.active_watts);
  }

  std::vector<Price> finish() { return std::move(list_); }

 private:
  std::vector<Price> list_;
};

}  // namespace

std::vector<Price> prices(const Platform& platform) {
  PriceList list;
  for (const Node& node : platform.nodes) list.add(node.name, "base_watts", node.base_watts);
  for (int i = 0; i < static_cast<int>(platform.memories.size()); ++i) {
    list.add(memory_name(platform, MemoryId{i}), "static_watts", platform.memories[i].static_watts);
  }
  for (int i = 0; i < static_cast<int>(platform.devices.size()); ++i) {
    list.add_device(platform.devices[i], device_name(platform, DeviceId{i}));
  }
  for (int i = 0; i < static_cast<int>(platform.links.size()); ++i) {
    list.add_link(platform.links[i], link_name(platform, LinkId{i}));
  }
  return list.finish();
}

std::string assumed_text(const std::vector<Price>& prices) {
  const auto assumed = std::count_if(prices.begin(), prices.end(), [](const Price& price) {
    return price.quantity.basis == Basis::assumed;
  });
  return assumed == 0 ? "none assumed" : fmt::format("{} of {} assumed", assumed, prices.size());
}

}  // namespace stint
