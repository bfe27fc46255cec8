// The next step's batch is brought in while this one computes: the inputs of a network become
// double buffers, and in every memory one `load` fills the half of the next step. It runs on the
// worker of that memory that has nothing to do for longest, at that time, so that reading and
// converting samples costs the step nothing as long as it takes no longer than that.
//
// This is done to a plan that is finished otherwise, whoever made it, and only where it costs
// nothing that is counted, but for fetching the batch from another worker's cache where that has a
// price: neither seconds nor joules, and no memory beyond the bounds. Where
// memory is the aim, where no worker ever idles, or where a second batch does not fit, inputs stay
// as they are: there when the step begins, or loaded within it. Graphs of tasks, whose inputs come
// from nowhere, are left alone. Cost: that of finishing a plan once more.
#pragma once

#include <optional>

#include "planner/problem.hpp"
#include "schedules/schedule.hpp"

namespace stint {

// Nothing if it is better left as it is. `plan` has no proof yet, nor has what comes back.
std::optional<Schedule> with_prefetch(const Problem& problem, const Schedule& plan);

}  // namespace stint
