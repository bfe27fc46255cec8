// Numbers from -1 to 1 that follow from a seed: operands of kernels.
#pragma once

#include <cstdint>
#include <vector>

namespace stint {

inline std::vector<float> seeded_numbers(std::int64_t count, std::uint64_t seed) {
  std::vector<float> made(static_cast<std::size_t>(count));
  for (float& number : made) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    number = static_cast<float>(seed >> 40) / static_cast<float>(1 << 23) - 1;
  }
  return made;
}

}  // namespace stint
