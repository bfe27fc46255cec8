// A sequence of tasks from the ways of the blocks of a row (block_bound.hpp): everything once up to
// where the first backward begins, then block after block as each does it on its own.
//
// Where a block reads what belongs to another that has not kept it, that is computed again just in
// time, which the sum of the blocks does not know; so the sequence may cost more and take more
// memory, and is a start for local search.
#pragma once

#include "planner/graphs/block_bound.hpp"
#include "planner/graphs/sequence.hpp"
#include "planner/order.hpp"

namespace stint {

// `order` is one of all tasks. Nothing where a way is missing, or blocks get in each other's way.
TaskSequence block_sequence(const Problem& problem, const DeviceGraph& graph, const BlockRow& row,
                            const std::vector<Reruns>& ways, const TaskOrder& order);

// The same for a row of its own, if no block needs more of another than that lends it.
TaskSequence solved_block_sequence(const Problem& problem, const DeviceGraph& graph,
                                   const BlockRow& row, const TaskOrder& order,
                                   BlockBoundOptions options);

}  // namespace stint
