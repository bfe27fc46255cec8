// Random training steps that are chains, written as tasks: unequal sizes and times, tapes that may
// or must be written, workspace, gradients, weights with their gradients and updates, labels, a
// loss. Few and small enough for a search over everything that can happen.
#pragma once

#include <cstdint>

#include "models/graph.hpp"

namespace stint {

struct TaskChainOptions {
  int stages = 3;      // with a forward; the loss comes besides
  int largest = 3;     // bytes and seconds
  bool plain = false;  // one task a stage and no results that are left early: what chain can prove
};

Graph random_task_chain(std::uint64_t seed, const TaskChainOptions& options = {});

}  // namespace stint
