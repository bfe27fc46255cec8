// A network and how its step is made into tasks: what is measured as a whole.
#pragma once

#include "models/layers/network.hpp"
#include "models/lowering.hpp"

namespace stint {

struct NetworkStep {
  Network network;
  Lowering lowering;
};

}  // namespace stint
