// Someone who can run a graph of tasks: ourselves, or a run-time system to compare with.
//
// `prepare` does once what its user would do once (start threads, build a reusable graph, lay out a
// plan); the step that it gives back runs every task once and returns when all have ended. Only
// steps are timed, by the same code for everyone.
#pragma once

#include <functional>
#include <string>

#include "benchmarks/overhead/task_shapes.hpp"
#include "benchmarks/overhead/work.hpp"

namespace stint {

using Step = std::function<void()>;

struct Contestant {
  std::string name;
  std::function<Step(const TaskShape& shape, Work work)> prepare;
};

}  // namespace stint
