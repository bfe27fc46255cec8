// The simulator's clock: when each action starts, how long it takes, what it adds in joules, and
// what waiting and switching cost on the way. simulate.hpp says by which rules.
#pragma once

#include <cstdint>
#include <vector>

#include "schedules/lanes.hpp"
#include "schedules/simulate.hpp"

namespace stint {

// Fills start_seconds, seconds, joules, makespan_seconds, and the terms switches and wait.
void run_clock(const Schedule& schedule, const std::vector<Worker>& workers, const Order& order,
               Simulation& result);

// By link: the first link of its channel.
std::vector<int> channels(const Platform& platform);

// simulate(schedule) for a caller who has found the order already.
Simulation simulate(const Schedule& schedule, const std::vector<Worker>& workers,
                    const Order& order);

// The billing window of a step that takes so long.
double billed_seconds(const Request& request, double makespan_seconds);

// Bytes that a copy or a load moves.
std::int64_t bytes_moved(const Schedule& schedule, const Action& action);

}  // namespace stint
