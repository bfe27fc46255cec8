// State as one device sees it: what is held as one, who uses it and who updates it.
#pragma once

#include <vector>

#include "planner/problem.hpp"

namespace stint {

struct StateUse {
  TensorId tensor = no_tensor;   // around all that tasks use of it
  std::vector<TaskId> users;     // ascending, updaters among them
  std::vector<TaskId> updaters;  // ascending
  bool in_parts = false;         // some use only a part of it
};

// All state that tasks use, by tensor.
std::vector<StateUse> state_uses(const Problem& problem);

}  // namespace stint
