// The best plan of a graph on one device: solved for its memory, with moves and without, for as
// many workers as there are, with addresses, and with a bound.
#pragma once

#include "planner/graphs/device_graph.hpp"
#include "planner/strategy.hpp"

namespace stint {

// What is better than the answer so far takes its place. `at_home`: the same graph with all state
// in the device's memory, of which bounds are made.
void plan_on_device(const Problem& problem, const SearchOptions& options, const DeviceGraph& graph,
                    const DeviceGraph& at_home, double limit, Answer& answer);

// Where all that tasks ever write fits beside each other, nobody needs to choose.
bool fits_whole(const DeviceGraph& graph, int workers);

}  // namespace stint
