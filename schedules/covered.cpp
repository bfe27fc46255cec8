#include "schedules/covered.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stint {
namespace {

bool all_measured(const std::vector<DomainReading>& domains, DomainKind kind) {
  bool any = false;
  for (const DomainReading& domain : domains) {
    if (domain.kind != kind) continue;
    if (!domain.joules) return false;
    any = true;
  }
  return any;
}

bool is_measured(const std::vector<DomainReading>& domains, const std::string& name) {
  return std::any_of(domains.begin(), domains.end(), [&](const DomainReading& domain) {
    return domain.name == name && domain.joules;
  });
}

void make_free(Device& device) {
  device.idle_watts = device.active_watts = device.wait_watts = {};
  for (PowerState& state : device.states) {
    state.busy_watts = state.switch_joules = {};
    state.busy_watts_by_class.clear();
  }
}

void make_free(Link& link) { link.joules_per_byte = link.active_watts = {}; }

bool is_outermost(const Device& device, const Cache& cache) {
  return std::none_of(device.caches.begin(), device.caches.end(),
                      [&](const Cache& other) { return other.level > cache.level; });
}

class Coverage {
 public:
  Coverage(const Platform& platform, const std::vector<DomainReading>& domains)
      : platform_(platform),
        packages_(all_measured(domains, DomainKind::package)),
        dram_(all_measured(domains, DomainKind::dram)),
        memories_(platform.memories.size(), false) {
    int gpus = 0;
    for (const Device& device : platform.devices) {
      const bool is_gpu = device.kind == "cuda";
      const bool covered = is_gpu ? is_measured(domains, fmt::format("gpu-{}", gpus++)) : packages_;
      devices_.push_back(covered && (is_gpu || device.kind == "cpu"));
      if (is_gpu && covered) memories_[device.memory] = true;
    }
    for (std::size_t i = 0; i < memories_.size(); ++i) {
      if (platform.memories[i].kind == MemoryKind::ram) memories_[i] = dram_;
    }
  }

  // The platform with everything free whose coverage is not `kept`.
  Platform part(bool kept) const {
    Platform part = platform_;
    for (Node& node : part.nodes) {
      if (kept) node.base_watts = {};
    }
    for (std::size_t i = 0; i < part.devices.size(); ++i) {
      for (Cache& cache : part.devices[i].caches) {
        if (covers(i, cache) != kept) cache.joules_per_byte = {};
      }
      if (devices_[i] != kept) make_free(part.devices[i]);
    }
    for (std::size_t i = 0; i < part.memories.size(); ++i) {
      if (memories_[i] != kept) part.memories[i].static_watts = {};
    }
    for (Link& link : part.links) {
      if (covers(link) != kept) make_free(link);
    }
    return part;
  }

 private:
  // What is in no cache comes from memory, of which a package sees as much as was measured by it.
  bool covers(std::size_t device, const Cache& cache) const {
    const bool sees_memory = memories_[platform_.devices[device].memory] ||
                             cache.joules_per_byte.basis == Basis::measured;
    return devices_[device] && (sees_memory || !is_outermost(platform_.devices[device], cache));
  }

  // A copy between memories beside processors: a core reads and writes.
  bool covers(const Link& link) const {
    const auto is_ram = [&](MemoryId memory) {
      return platform_.memories[memory].kind == MemoryKind::ram;
    };
    return packages_ && dram_ && is_ram(link.from) && is_ram(link.to) && !link.network;
  }

  const Platform& platform_;
  bool packages_;
  bool dram_;
  std::vector<bool> devices_;
  std::vector<bool> memories_;
};

bool has_price(const Device& device) {
  bool priced = device.idle_watts > 0 || device.active_watts > 0;
  for (const PowerState& state : device.states) priced = priced || state.busy_watts > 0;
  return priced;
}

bool prices_processors(const Platform& platform) {
  return std::any_of(platform.devices.begin(), platform.devices.end(), [](const Device& device) {
    return device.kind == "cpu" && has_price(device);
  });
}

bool prices_bytes_of_memory(const Device& device) {
  return std::any_of(device.caches.begin(), device.caches.end(), [&](const Cache& cache) {
    return cache.joules_per_byte > 0 && is_outermost(device, cache);
  });
}

bool prices_dram(const Platform& platform) {
  const bool by_time =
      std::any_of(platform.memories.begin(), platform.memories.end(), [](const Memory& memory) {
        return memory.kind == MemoryKind::ram && memory.static_watts > 0;
      });
  return by_time ||
         std::any_of(platform.devices.begin(), platform.devices.end(), [](const Device& device) {
           return device.kind == "cpu" && prices_bytes_of_memory(device);
         });
}

bool prices_gpu(const Platform& platform, const std::string& name) {
  int gpus = 0;
  for (const Device& device : platform.devices) {
    if (device.kind != "cuda") continue;
    if (fmt::format("gpu-{}", gpus++) == name) return has_price(device);
  }
  return false;
}

}  // namespace

PlatformParts split_by_coverage(const Platform& platform,
                                const std::vector<DomainReading>& domains) {
  const Coverage coverage(platform, domains);
  return {coverage.part(true), coverage.part(false)};
}

bool is_compared(const Platform& platform, const std::vector<DomainReading>& domains,
                 const DomainReading& domain) {
  if (domain.kind == DomainKind::gpu) return domain.joules && prices_gpu(platform, domain.name);
  const bool priced =
      domain.kind == DomainKind::dram ? prices_dram(platform) : prices_processors(platform);
  return priced && all_measured(domains, domain.kind);
}

}  // namespace stint
