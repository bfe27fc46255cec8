// The oneTBB flow graph: one continue_node per task, an edge per dependency.
//
// The graph is built once and triggered for every step, which is the best that it can do: building
// is not timed. As many threads as the shape has workers, the caller's among them.
#pragma once

#include "benchmarks/overhead/contestant.hpp"

namespace stint {

Contestant tbb_contestant();

}  // namespace stint
