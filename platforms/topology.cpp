#include "platforms/topology.hpp"

#include <hwloc.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace stint {
namespace {

std::int64_t clamped(hwloc_uint64_t bytes) {
  constexpr auto most = static_cast<hwloc_uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(bytes, most));
}

std::vector<hwloc_obj_t> objects(hwloc_topology_t hwloc, hwloc_obj_type_t type) {
  std::vector<hwloc_obj_t> all;
  hwloc_obj_t object = nullptr;
  while ((object = hwloc_get_next_obj_by_type(hwloc, type, object)) != nullptr) {
    all.push_back(object);
  }
  return all;
}

// Some virtual machines show hardware threads without cores.
std::vector<hwloc_obj_t> cores_of(hwloc_topology_t hwloc) {
  std::vector<hwloc_obj_t> cores = objects(hwloc, HWLOC_OBJ_CORE);
  return cores.empty() ? objects(hwloc, HWLOC_OBJ_PU) : cores;
}

// The first memory beside the core: where there are two (high-bandwidth memory), hwloc lists the
// ordinary one first.
int memory_of(hwloc_obj_t core, const std::vector<hwloc_obj_t>& memories) {
  const auto is_near = [&](hwloc_obj_t memory) {
    return hwloc_bitmap_intersects(memory->cpuset, core->cpuset) != 0;
  };
  const auto found = std::find_if(memories.begin(), memories.end(), is_near);
  return found == memories.end() ? 0 : static_cast<int>(found - memories.begin());
}

// hwloc lists the slowest kind first, and knows none where all cores are alike.
int kind_of(hwloc_topology_t hwloc, hwloc_obj_t core) {
  const int kinds = hwloc_cpukinds_get_nr(hwloc, 0);
  const int kind = hwloc_cpukinds_get_by_cpuset(hwloc, core->cpuset, 0);
  return kind < 0 ? std::max(kinds, 0) : kinds - 1 - kind;
}

int count_inside(hwloc_obj_t object, const std::vector<hwloc_obj_t>& cores) {
  return static_cast<int>(std::count_if(cores.begin(), cores.end(), [&](hwloc_obj_t core) {
    return hwloc_bitmap_intersects(core->cpuset, object->cpuset) != 0;
  }));
}

std::vector<Cache> caches_of(hwloc_topology_t hwloc, hwloc_obj_t core,
                             const std::vector<hwloc_obj_t>& cores) {
  std::vector<Cache> caches;
  hwloc_obj_t object = hwloc_get_obj_inside_cpuset_by_type(hwloc, core->cpuset, HWLOC_OBJ_PU, 0);
  for (; object != nullptr; object = object->parent) {
    if (hwloc_obj_type_is_dcache(object->type) == 0) continue;
    caches.push_back({.level = static_cast<int>(object->attr->cache.depth),
                      .bytes = clamped(object->attr->cache.size),
                      .shared_by = count_inside(object, cores)});
  }
  return caches;
}

struct FoundCore {
  int memory = 0;
  int kind = 0;
  hwloc_obj_t core = nullptr;
};

// By memory, then kind, then hwloc's own order.
std::vector<FoundCore> cores_in_order(hwloc_topology_t hwloc) {
  const std::vector<hwloc_obj_t> memories = objects(hwloc, HWLOC_OBJ_NUMANODE);
  std::vector<FoundCore> found;
  for (const hwloc_obj_t core : cores_of(hwloc)) {
    found.push_back({memory_of(core, memories), kind_of(hwloc, core), core});
  }
  std::stable_sort(found.begin(), found.end(), [](const FoundCore& a, const FoundCore& b) {
    return std::pair(a.memory, a.kind) < std::pair(b.memory, b.kind);
  });
  return found;
}

}  // namespace

std::vector<hwloc_bitmap_s*> core_sets(hwloc_topology* hwloc) {
  std::vector<hwloc_bitmap_s*> sets;
  for (const FoundCore& found : cores_in_order(hwloc)) sets.push_back(found.core->cpuset);
  return sets;
}

Topology read_topology(hwloc_topology* hwloc) {
  Topology topology;
  const std::vector<hwloc_obj_t> memories = objects(hwloc, HWLOC_OBJ_NUMANODE);
  if (!memories.empty()) topology.memory_bytes.clear();
  for (const hwloc_obj_t memory : memories) {
    topology.memory_bytes.push_back(clamped(memory->attr->numanode.local_memory));
  }
  const std::vector<hwloc_obj_t> cores = cores_of(hwloc);
  if (!cores.empty()) topology.groups.clear();
  for (const auto& [memory, kind, core] : cores_in_order(hwloc)) {
    const bool is_new = topology.groups.empty() || topology.groups.back().memory != memory ||
                        topology.groups.back().kind != kind;
    if (is_new) topology.groups.push_back({memory, kind, 0, caches_of(hwloc, core, cores)});
    ++topology.groups.back().cores;
  }
  return topology;
}

void DestroyTopology::operator()(hwloc_topology* hwloc) const { hwloc_topology_destroy(hwloc); }

HwlocTopology load_topology_here() {
  hwloc_topology_t hwloc = nullptr;
  if (hwloc_topology_init(&hwloc) != 0) return nullptr;
  HwlocTopology owner(hwloc);
  // The binding (taskset, numactl) is what the user gave us. The process stays bound as it is.
  hwloc_topology_set_flags(hwloc, HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM |
                                      HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING |
                                      HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING);
  return hwloc_topology_load(hwloc) == 0 ? std::move(owner) : nullptr;
}

Topology topology_here() {
  const HwlocTopology hwloc = load_topology_here();
  return hwloc ? read_topology(hwloc.get()) : Topology{};
}

}  // namespace stint
