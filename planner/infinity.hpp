// What cannot be done costs that much, and takes that long.
#pragma once

#include <limits>

namespace stint {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace stint
