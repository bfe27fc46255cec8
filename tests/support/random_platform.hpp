// Random sound platforms for property tests. The same options and seed give the same platform.
#pragma once

#include <cstdint>

#include "platforms/platform.hpp"

namespace stint {

struct RandomPlatformOptions {
  int max_devices = 3;         // the first is a "cpu"; others are "cpu" or "gpu"
  int max_workers = 4;         // per device
  bool with_storage = true;    // a disk behind the first memory
  bool with_states = true;     // several power states, every kind of settable and scope
  bool with_channels = true;   // links that share a channel
  bool with_blocking = true;   // links that occupy a compute worker
  bool with_fetching = false;  // caches of a few bytes, beyond which a byte costs time and energy
};

// Memories are large; every two memories are joined by a path of links.
Platform random_platform(std::uint64_t seed, const RandomPlatformOptions& options = {});

}  // namespace stint
