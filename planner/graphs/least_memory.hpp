// The plan of a general graph that takes the least memory: `graph` asked again and again, for half
// of what is left between the least that is proved to be needed and the least that was found to
// work. Cost: seven searches with a share of the limit each.
#pragma once

#include "planner/strategy.hpp"

namespace stint {

Answer plan_of_least_memory(const Problem& problem, const SearchOptions& options, MemoryId memory);

}  // namespace stint
