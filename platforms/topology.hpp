// What hwloc says of a machine, without prices: memories, and cores in groups of one kind and one
// memory. Internal to discovery; tests read synthetic topologies with it.
//
// hwloc's types stay behind topology.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "platforms/platform.hpp"

struct hwloc_topology;
struct hwloc_bitmap_s;

namespace stint {

// Cores of one kind whose nearest memory is the same. Hardware threads of a core count once.
struct CoreGroup {
  int memory = 0;  // index into Topology::memory_bytes
  int kind = 0;    // 0 is the fastest
  int cores = 1;
  std::vector<Cache> caches;  // of its first core, the nearest first; shared_by counts cores
  bool operator==(const CoreGroup&) const = default;
};

// The defaults describe the least machine: one core, and a memory of unknown size.
struct Topology {
  std::vector<std::int64_t> memory_bytes = {0};   // one per NUMA node; 0 is unknown
  std::vector<CoreGroup> groups = {CoreGroup{}};  // by memory, then kind
  bool operator==(const Topology&) const = default;
};

// What a loaded hwloc topology says; what it leaves out stays at its default.
Topology read_topology(hwloc_topology* hwloc);

// This machine, as far as this process may use it.
Topology topology_here();

// The same, in hwloc's own terms; null if hwloc fails.
struct DestroyTopology {
  void operator()(hwloc_topology* hwloc) const;
};
using HwlocTopology = std::unique_ptr<hwloc_topology, DestroyTopology>;
HwlocTopology load_topology_here();

// The hardware threads of every core, in the order in which `groups` counts them. hwloc owns them.
std::vector<hwloc_bitmap_s*> core_sets(hwloc_topology* hwloc);

}  // namespace stint
