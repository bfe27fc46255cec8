// Which measured kernels of a platform the tasks of a network will run: what the plan then counts
// on, and what `run` expects to find.
#pragma once

#include <vector>

#include "models/graph.hpp"
#include "models/lowering.hpp"
#include "platforms/platform.hpp"

namespace stint {

// In the order that Lowering::kernels wants. Of devices of one kind the largest workspace counts;
// orders of weights are taken over only where there is one kind of device, as all of them read the
// same state. Linear in tasks and kernels, but for sorting.
std::vector<PinnedKernel> pinned_kernels(const Graph& graph, const Platform& platform);

}  // namespace stint
