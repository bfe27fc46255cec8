// An order in which every task runs once, with as low a peak of live bytes as can be found.
//
// The problem: pebbling with weights, NP-hard (Sethi 1975). What is live after some tasks depends
// on which they are and not on their order, so of two ways to the same set the one with the lower
// peak is enough (dynamic programming over sets, as in Ahn et al., "Ordering chaos", 2020). A task
// that exceeds no peak and leaves no more bytes than it finds runs at once: no order is better
// without that. Of the sets of every size only the best are kept, by their peak and then by their
// bytes; where none is left out the order is optimal. Cost: O(n · sets kept · tasks that are
// ready).
#pragma once

#include <cstddef>
#include <vector>

#include "planner/graphs/device_graph.hpp"
#include "planner/order.hpp"

namespace stint {

inline constexpr std::size_t lowest_peak_up_to_tasks = 5000;  // more take too long

// Of the tasks of the problem; `before` by task, those that must have run before it.
TaskOrder lowest_peak_order(const DeviceGraph& graph,
                            const std::vector<std::vector<TaskId>>& before);

}  // namespace stint
