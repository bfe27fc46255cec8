// Orders in which the tasks may be taken up: each respects all dependencies and is the only one of
// its kind, so the same graph gives the same order. They aim at small peaks of memory or at short
// steps; none is proved best.
#pragma once

#include <vector>

#include "planner/problem.hpp"

namespace stint {

using TaskOrder = std::vector<TaskId>;

// As the file lists them.
TaskOrder listed_order(const Problem& problem);

// Greedy: always the task after which the fewest bytes are live. O(n · width), so not for large
// graphs.
TaskOrder least_memory_order(const Problem& problem);

// Depth first from every task that nobody waits for: what feeds a task is finished, one input after
// the other and the most demanding first, before anything else is begun. Optimal for trees whose
// results are no larger than what they are made of (Sethi and Ullman, 1970; Liu, 1987). O(n log n).
TaskOrder depth_first_order(const Problem& problem);

// Whatever became ready last comes next: a leaf passes through as many layers as it can, forward
// and backward, before the next is begun, and is still in the caches there. O(n log n).
TaskOrder newest_first_order(const Problem& problem);

// The task with the longest way to the end first, by the given seconds. O(n log n).
TaskOrder critical_path_order(const Problem& problem, const std::vector<double>& seconds);

// Those of the first three that differ; of large graphs fewer, because they take too long.
std::vector<TaskOrder> memory_orders(const Problem& problem);

}  // namespace stint
