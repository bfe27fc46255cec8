// The tasks of a plan's graph, run by StarPU: the same kernels, leaves and cuts, a handle for every
// piece of a tensor that is read or written by itself; order, workers and memory are StarPU's
// affair. Tasks are submitted anew in every step, as its users do.
//
// Partial sums are put together by the tasks of the graph (the fixed tree), or by StarPU's
// reductions: every worker adds what it computes to a sum of its own, and these are added up when
// somebody wants the result. Which worker computes what then decides the bits.
#pragma once

#include "benchmarks/starpu/training_data.hpp"

namespace stint {

enum class Summing { by_tree, by_worker };

TrainedSteps train_by_starpu(const Schedule& schedule, const std::string& scheduler,
                             Summing summing, int warmup_steps, int steps);

}  // namespace stint
