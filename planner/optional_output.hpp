// Whether an execution of a task may leave an output out.
#pragma once

#include <algorithm>

#include "models/graph.hpp"

namespace stint {

inline bool is_optional(const Task& task, TensorId output) {
  return std::find(task.optional.begin(), task.optional.end(), output) != task.optional.end();
}

}  // namespace stint
