// Training graphs of 60 tasks or so that a processor and an accelerator share, and the machine:
// two memories with a link each way, three power states each.
#pragma once

#include <string>
#include <vector>

#include "models/graph.hpp"
#include "platforms/platform.hpp"

namespace stint {

// chain, residual, unet, branches (of four, joined by a task), random (one or two earlier layers).
const std::vector<std::string>& placed_kinds();

// Forward tasks, a loss, and for every forward task its backward; about so many in all. Seconds of
// the processor are 2 to 12 times those of the accelerator. The same seed gives the same graph.
Graph placed_graph_of(const std::string& kind, int tasks, int seed);

Platform processor_and_accelerator();
// The same with a second accelerator that has a memory and links of its own.
Platform processor_and_two_accelerators();
// Both devices in one memory, with four workers each.
Platform two_kinds_of_cores();

}  // namespace stint
