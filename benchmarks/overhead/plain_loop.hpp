// No run-time system at all: one thread calls the tasks in their order. What the work costs by
// itself, next to which the contestants' times are read; not a contestant, for it has one worker.
#pragma once

#include "benchmarks/overhead/contestant.hpp"

namespace stint {

inline Contestant plain_loop() {
  return {"plain loop", [](const TaskShape& shape, Work work) -> Step {
            return [work, tasks = static_cast<int>(shape.tasks.size())] {
              for (int task = 0; task < tasks; ++task) work(task);
            };
          }};
}

}  // namespace stint
