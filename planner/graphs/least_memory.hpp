// The plan of a general graph that takes the least memory: `graph` asked again and again, for half
// of what is left between the least that is proved to be needed and the least that was found to
// work. Cost: seven searches with a share of the limit each.
#pragma once

#include <functional>

#include "planner/strategy.hpp"

namespace stint {

using GraphStrategy = std::function<std::optional<Answer>(const Problem&, const SearchOptions&)>;

// `solve` finds the plan of the least energy within a memory.
Answer plan_of_least_memory(const Problem& problem, const SearchOptions& options, MemoryId memory,
                            const GraphStrategy& solve);

}  // namespace stint
