// The `after` lists: who must wait for whom, because of data or because of addresses, and without
// what the order of the workers' lists or other entries already imply.
//
// All actions are given in one total order, and every edge points forward in it.
#pragma once

#include <vector>

#include "planner/problem.hpp"
#include "schedules/schedule.hpp"

namespace stint {

// For every action those that must be finished before it starts; in any order, possibly twice.
using Edges = std::vector<std::vector<ActionId>>;

// Readers wait for writers; updates of state and refreshing copies wait for all who used the
// version before. Linear in the segments that actions touch.
Edges data_edges(const Problem& problem, const std::vector<Buffer>& buffers,
                 const std::vector<Action>& actions);

// The writers of a buffer wait for everyone who used the bytes before it, as the offsets tell.
// `order` lists the buffers that are not within another, by the time at which they begin to live.
void add_reuse_edges(const Problem& problem, const std::vector<Buffer>& buffers,
                     const std::vector<Action>& actions, const std::vector<BufferId>& order,
                     Edges& edges);

// Fills `after` with the fewest edges that imply all those given. Vector clocks in one sweep:
// O(actions × workers in use).
void set_after(const Problem& problem, const Edges& edges, std::vector<Action>& actions);

// Everything an action reads, writes, updates, or works in; each buffer named once per use.
std::vector<BufferId> touched(const Action& action);

// The buffer that is not within another: itself, or the whole it lies in.
BufferId outermost(const std::vector<Buffer>& buffers, BufferId buffer);

}  // namespace stint
