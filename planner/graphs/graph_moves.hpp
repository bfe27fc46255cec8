// Items that leave for a slower memory and come back, as tasks of a device's graph: one that sends
// and reads the item, one that fetches and writes it anew. So sequences, their measure and local
// search need not know what a move is; only the draft makes copies of them.
//
// A move takes the link, not the worker. It is priced at its joules and a part of its time, which
// computing hides or does not; the simulator tells in the end. Fetches are moved up in the sequence
// as far as there is room, so that nobody waits for them.
#pragma once

#include <optional>
#include <vector>

#include "planner/chains/chain_costs.hpp"
#include "planner/graphs/sequence.hpp"

namespace stint {

// Where items may go; nothing if there is no such place, or links hold up those who compute.
std::optional<SlowPlace> place_for_moves(const Problem& problem, const DeviceGraph& graph);

DeviceGraph with_moves(const DeviceGraph& graph);

// Costs of tasks, and behind those given of all copies; `hidden`: the part of a copy's time that
// nobody waits for.
std::vector<double> with_copies(const Problem& problem, const DeviceGraph& moving,
                                const SlowPlace& place, const ChainAim& aim, double hidden,
                                std::vector<double> costs);

// Fetches earlier, by the time that they take, as far as `capacity_bytes` allow.
TaskSequence with_early_fetches(const Problem& problem, const DeviceGraph& moving,
                                const SlowPlace& place, TaskSequence sequence,
                                std::int64_t capacity_bytes);

}  // namespace stint
