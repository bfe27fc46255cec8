// Which kernels the tasks of a network will run, as far as a platform has measured them or they are
// known: what the plan then counts on, and what `run` expects to find.
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

// Adds products and attention, as they are computed on GPUs, where every device is one and they
// were not measured: they need other workspaces than on a CPU. Linear in tasks, but for sorting.
void pin_known_gpu_kernels(const Network& network, const Lowering& lowering,
                           const Platform& platform, std::vector<PinnedKernel>& kernels);

}  // namespace stint
