// Who may work in a plan, and in which power state: the choices that list scheduling is tried with.
#pragma once

#include <vector>

#include "planner/list_schedule.hpp"
#include "planner/problem.hpp"

namespace stint {

// Devices and how many of their workers; all in their first power state. First each device that can
// run every task, with 1, 2, 4… and all of its workers: fewer hold less at once; then all devices
// together.
std::vector<Crew> crews(const Problem& problem);

// The same crew in the power states worth trying for the request, none twice: as the machine is by
// itself, the fastest, the most frugal by the joules of the work alone, and the most frugal if what
// is always on counts too; of a single device in a small graph, every state.
std::vector<Crew> with_states(const Problem& problem, const Crew& crew);

}  // namespace stint
