// This machine as a platform, discovered with hwloc: a device per kind of core (and NUMA memory), a
// worker per core, its caches, its memories, and the disk of the temporary folder. Prices cannot be
// discovered; they are defaults of basis `assumed`.
#pragma once

#include <cstdint>

#include "platforms/platform.hpp"

namespace stint {

Platform discover_platform();

// What this process could still take of this machine's memory.
std::int64_t available_memory_bytes();

}  // namespace stint
