// The training step of a network as a graph of tasks: forward, loss, backward and update.
#pragma once

#include "models/lowering.hpp"

namespace stint {

// Throws InputError("/lowering/…", …) if the network cannot be lowered that way.
Graph lower_network(const Network& network, const Lowering& lowering);

}  // namespace stint
