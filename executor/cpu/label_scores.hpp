// How well predictions meet their labels, in double precision and for some of the samples only: how
// a network is judged, while training needs but a mean over whole batches.
#pragma once

#include <cstddef>

#include "executor/backend.hpp"
#include "models/training/task_kernel.hpp"

namespace stint {

// Whether the task computes a loss that can be judged.
bool is_loss(const TaskKernel& kernel);

// Of such a task, given the bytes that it reads; only the first `samples` of its own count.
LabelScore score_labels(const TaskKernel& loss, const std::byte* predictions,
                        const std::byte* labels, std::int64_t samples);

}  // namespace stint
