// What those share who choose how a network is cut by pricing one lowering after the other.
#pragma once

#include <cstdint>

namespace stint {

inline constexpr std::int64_t most_tasks_priced = 150'000;  // of all lowerings tried

}  // namespace stint
