// Bytes that another worker has: how long a task takes longer because what it touches lies in the
// caches of another core.
//
// A worker holds what it has touched last, as much as its largest cache of its own has room for. A
// task that reads bytes which only others hold has to fetch them; one that writes bytes which
// others hold has to take them away. Both cost the seconds by byte that the device's time model
// says under `hand_over` (terms `read` and `write`), added to those of the task. Kernels are
// measured on one core, where neither happens. Steps repeat, so a step begins with what everybody
// held when it ended; inputs that no action loads are brought in by the first worker that has any.
// Actions are followed in an order that respects what happens before what: the answer depends on no
// times.
//
// Without such prices it costs nothing to ask. Else O(touches × workers that hold the same).
#pragma once

#include <vector>

#include "schedules/lanes.hpp"

namespace stint {

// By action: seconds at speed 1 beside what the task takes by itself. Empty if nothing is priced.
std::vector<double> handed_over_seconds(const Schedule& schedule,
                                        const std::vector<Worker>& workers, const Order& order);

}  // namespace stint
