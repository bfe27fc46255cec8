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
//
// `graph` is lowered without them: reorders and sums that only appear with them are in the list in
// any case, until those that the graph lowered with them does not use are dropped.
std::vector<PinnedKernel> pinned_kernels(const Graph& graph, const Platform& platform);
void drop_unused(const Graph& graph, std::vector<PinnedKernel>& kernels);

}  // namespace stint
