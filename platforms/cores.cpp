#include "platforms/cores.hpp"

#include <hwloc.h>

#include <algorithm>

#include "platforms/topology.hpp"

namespace stint {

struct Cores::Known {
  HwlocTopology hwloc = load_topology_here();
  std::vector<hwloc_bitmap_s*> sets;
};

const Cores& Cores::here() {
  static const Cores cores;
  return cores;
}

Cores::Cores() : known_(std::make_unique<Known>()) {
  if (known_->hwloc) known_->sets = core_sets(known_->hwloc.get());
}

Cores::~Cores() = default;

int Cores::count() const { return std::max(1, static_cast<int>(known_->sets.size())); }

bool Cores::pin_this_thread(int core) const {
  if (known_->sets.empty()) return false;
  hwloc_bitmap_s* const set = known_->sets[static_cast<std::size_t>(core) % known_->sets.size()];
  return hwloc_set_cpubind(known_->hwloc.get(), set, HWLOC_CPUBIND_THREAD) == 0;
}

bool Cores::pin_this_thread_to_all() const {
  if (!known_->hwloc) return false;
  const hwloc_const_bitmap_t all = hwloc_topology_get_topology_cpuset(known_->hwloc.get());
  return hwloc_set_cpubind(known_->hwloc.get(), all, HWLOC_CPUBIND_THREAD) == 0;
}

int Cores::processor(int core) const {
  if (known_->sets.empty()) return -1;
  return hwloc_bitmap_first(known_->sets[static_cast<std::size_t>(core) % known_->sets.size()]);
}

}  // namespace stint
