// All starts and ends of a simulated schedule in one order: by time; at one instant ends come
// before starts, but an action of no duration ends right after it starts.
#pragma once

#include <vector>

#include "schedules/lanes.hpp"
#include "schedules/simulate.hpp"

namespace stint {

struct TimelineEvent {
  double seconds = 0;
  ActionId action{0};
  bool is_start = true;
};

// Cost: O(n log w): the workers' lists are in order already and are merged.
std::vector<TimelineEvent> timeline(const Schedule& schedule, const Order& order,
                                    const Simulation& simulation);

}  // namespace stint
