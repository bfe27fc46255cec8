// The order of a crew that never rests while there is something to do: whoever is free takes up the
// ready task of the least rank (Graham, 1969). Taken up in the order of their ranks alone, tasks
// make workers wait for the next of them while others are ready.
//
// Three rankings are tried. By the way to the end, the longest first, layers are computed one after
// the other. Depth first, what feeds the first task that nobody waits for is computed leaf by leaf,
// and what may wait fills the gaps where a layer has few pieces. The third lies between them. Each
// is justified: all tasks as late as they can be, in the order of their ends, then as early as they
// can be, in the order of these beginnings (Valls, Ballestín and Quintanilla, 2005).
//
// An order to try, not a plan: copies between memories are not counted. O(n log n).
#pragma once

#include <vector>

#include "planner/list_schedule.hpp"
#include "planner/order.hpp"
#include "planner/problem.hpp"

namespace stint {

// The shortest that was found. Tasks that nobody of the crew can run come where their dependencies
// allow.
TaskOrder ready_order(const Problem& problem, const Crew& crew);

// By task: on the fastest device of the crew, infinite if there is none that runs it.
std::vector<double> fastest_seconds(const Problem& problem, const Crew& crew);

}  // namespace stint
