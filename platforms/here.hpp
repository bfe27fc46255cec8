// This machine as a platform, discovered with hwloc: a device per kind of core (and NUMA memory), a
// worker per core, its caches, its memories, and the disk of the temporary folder. Prices cannot be
// discovered; they are defaults of basis `assumed`.
#pragma once

#include "platforms/platform.hpp"

namespace stint {

Platform discover_platform();

}  // namespace stint
