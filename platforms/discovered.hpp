// From what was found on a machine to a platform, with default prices. Internal to discovery: no
// system calls here, so that tests can describe any machine.
#pragma once

#include <cstdint>
#include <optional>

#include "platforms/platform.hpp"
#include "platforms/topology.hpp"

namespace stint {

struct Found {
  Topology topology;
  std::optional<std::int64_t> memory_limit_bytes;  // of all memories together
  std::int64_t disk_bytes = 0;                     // free; 0 is no disk
};

// Sound, whatever was found: a machine beyond what a platform may hold becomes the least machine.
Platform platform_of(const Found& found);

}  // namespace stint
