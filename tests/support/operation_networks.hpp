// Small networks that together have every operation of a training step, in shapes that are awkward
// for kernels: odd counts, fewer channels than lanes, more than one block.
#pragma once

#include <string>
#include <vector>

#include "models/layers/network.hpp"

namespace stint {

std::vector<std::string> operation_network_names();
Network operation_network(const std::string& name);

}  // namespace stint
