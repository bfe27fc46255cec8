// State that lives in a slower memory, and is in the device's only while it is of use.
//
// Between steps, and whenever nobody needs it, its only bytes are there; so it takes no room, is
// fetched before it is used, as often as one likes, and saved once it has been updated. To the
// planners of graphs a fetch is a task that reads nothing and may run again, and an update turns
// one item into another in its place. So what is kept, computed again or fetched again is one
// question. Which state lives elsewhere is chosen beforehand: it pays for its copies in every step,
// what lives in the device's memory pays nothing but its bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/chains/chain_costs.hpp"
#include "planner/graphs/device_graph.hpp"
#include "planner/order.hpp"

namespace stint {

DeviceGraph with_state_away(const Problem& problem, const DeviceGraph& graph,
                            const std::vector<TensorId>& away);

// The order of the problem's tasks with the copies of state: fetched just before it is first used,
// saved as soon as it is updated.
TaskOrder with_state_copies(const DeviceGraph& graph, const TaskOrder& order);

// No sequence of the graph's tasks takes less.
std::int64_t largest_task_bytes(const DeviceGraph& graph);

// What to try: sets of tensors, such that no task is too large beside what stays, in the order in
// which they are worth it. All sets of little state; of more, the cheapest to copy for its bytes,
// from as little as is needed to all. What several tasks update stays.
std::vector<std::vector<TensorId>> away_choices(const Problem& problem, const DeviceGraph& graph,
                                                const SlowPlace& place);

}  // namespace stint
