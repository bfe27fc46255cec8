// The best plan on two devices by looking at everything, for tests: graphs of a few tasks without
// state, parts or workspace, devices with one worker each.
#pragma once

#include <optional>

#include "planner/problem.hpp"

namespace stint {

// Joules of the best plan that runs every task once, wherever, in whatever order and power states,
// billed for its makespan; memory does not count. Copies are made as soon as they can be, in the
// order of their readers.
double least_joules_without_memory(const Problem& problem);

// Joules of the best plan billed for a window that is long enough for anything: what is computed
// again or copied as often as it takes, within the memories' bytes. Nothing if there is none.
std::optional<double> least_joules_within_memory(const Problem& problem);

}  // namespace stint
