// What no plan of a graph can cost less than, on a machine with one device: the master problem of
// moments without an order (moments.hpp), with every run of a task at its least price.
//
// It holds for every order and number of workers of the device, with any recomputation, and with
// everything moved to other memories and back at the price of the links alone. Moments are chosen
// from those that the search for a plan found to matter; of these it takes a set in which each task
// depends on the one before.
#pragma once

#include <optional>
#include <vector>

#include "planner/bounds.hpp"
#include "planner/graphs/device_graph.hpp"
#include "planner/strategy.hpp"

namespace stint {

// Of the request's objective. `moments`: the most important first. `work`: the solver's units.
// `second_joules`: a price on seconds, given back for those until the deadline (Lagrange); it may
// be any. Nothing if the machine is of another kind, or there is nothing to gain.
std::optional<Bound> graph_bound(const Problem& problem, const DeviceGraph& graph,
                                 const std::vector<TaskId>& moments, double work,
                                 const SearchOptions& options, double second_joules = 0);

// The tasks that each depend on the one before, in that order, taken as they come. O(n + e) each.
std::vector<TaskId> in_sequence(const Problem& problem, const std::vector<TaskId>& tasks);

}  // namespace stint
