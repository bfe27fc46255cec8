// Ourselves: the shape as a schedule, compiled once and replayed in every step by the executor that
// `run` uses, which notes when each action begins and ends. Threads are pinned, and spin before
// they sleep, as in `run` where every worker has a core. Not timed: judging, compiling, and what
// `run` computes from the noted times after a step.
#pragma once

#include "benchmarks/overhead/contestant.hpp"

namespace stint {

Contestant stint_contestant();

}  // namespace stint
