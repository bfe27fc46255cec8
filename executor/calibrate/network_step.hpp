// A network and how its step is made into tasks: what is measured as a whole.
#pragma once

#include <cstdint>

#include "models/layers/network.hpp"
#include "models/lowering.hpp"

namespace stint {

struct NetworkStep {
  Network network;
  Lowering lowering;
};

// Of the generated samples and first values that it is measured with.
inline constexpr std::int64_t measured_seed = 0;

}  // namespace stint
