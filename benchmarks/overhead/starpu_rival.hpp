// StarPU 1.3, as many CPU workers as the shape has, no accelerators.
//
// Tasks carry no data and name their predecessors (starpu_task_declare_deps_array), which costs
// StarPU least; the common style, dependencies inferred from data handles, costs more. Creating,
// declaring and submitting the tasks is part of every step: a run-time scheduler learns the graph
// while it runs. Starting and stopping StarPU is not timed. One instance per process.
#pragma once

#include <string>

#include "benchmarks/overhead/contestant.hpp"

namespace stint {

// `scheduler` as in STARPU_SCHED: eager, lws, dmda. Performance models start empty for every shape
// and work, because a history does not know what the tasks do; the steps before the timed ones fill
// them.
Contestant starpu_contestant(const std::string& scheduler);

}  // namespace stint
