// What those share who choose how a network is cut by pricing one lowering after the other.
#pragma once

#include <cstdint>

#include "platforms/platform.hpp"

namespace stint {

inline constexpr std::int64_t most_tasks_priced = 150'000;  // of all lowerings tried

inline int all_workers(const Platform& platform) {
  int workers = 0;
  for (const Device& device : platform.devices) workers += device.workers;
  return workers;
}

}  // namespace stint
