// Where the results of a schedule are when a step has ended.
//
// Follows the actions in an order that the schedule permits, with the last owner of every address.
// In a good schedule every permitted order gives the same answer.
#pragma once

#include <cstdint>
#include <vector>

#include "schedules/schedule.hpp"

namespace stint {

struct ResultPlace {
  BufferId buffer = no_buffer;  // that holds it, maybe among other bytes; no_buffer: nowhere
  std::int64_t skip_bytes = 0;  // before the result begins
  std::int64_t bytes = 0;
};

// In the order of the graph's results. Needs an acyclic order.
std::vector<ResultPlace> result_places(const Schedule& schedule);

}  // namespace stint
