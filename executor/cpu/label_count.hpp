// How many labels a network gave the highest score: what people call accuracy.
#pragma once

#include <cstdint>

#include "models/training/task_kernel.hpp"

namespace stint {

struct LabelCount {
  std::int64_t labels = 0;
  std::int64_t right = 0;
};

// Of a task "cross_entropy.forward", given the scores and the labels that it reads.
LabelCount count_labels(const TaskKernel& loss, const float* scores, const std::int32_t* labels);

}  // namespace stint
