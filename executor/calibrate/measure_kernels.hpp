// Every kernel that one lowering of a network runs, as it is on this machine: which implementation,
// in which order it wants its weight, the workspace it needs, and its time on the calling thread's
// core. Entries for the platform's `kernels`, where `plan` finds them.
//
// Kernels first say how they want their weights; lowered anew with these orders, the network has
// the reorders that this takes, and it is those tasks that are measured.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <vector>

#include "models/layers/network.hpp"
#include "models/lowering.hpp"
#include "platforms/platform.hpp"

namespace stint {

// Called before each of `all` kernels is measured.
using MeasureProgress = std::function<void(std::size_t done, std::size_t all)>;

// Ascending (op, shape). Ends early, with what it has, when interrupted.
std::vector<Kernel> measure_kernels(const Network& network, const Lowering& lowering,
                                    const std::atomic<bool>& interrupted,
                                    const MeasureProgress& progress);

}  // namespace stint
