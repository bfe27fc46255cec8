// What a byte costs that is not in a cache: one pass after the other over blocks of growing size,
// each of which stays in the next cache and not in the one before. The difference of two is the
// price of the level that the larger block no longer fits: seconds for every byte touched, read or
// written in equal parts, as most tasks do.
//
// Prices go into a time model's entry `cache` (platforms/README.md). Kernels that were measured in
// a step have such traffic in their times already; `without_traffic` takes it out, so that the
// order of a plan may decide how much of it there is.
#pragma once

#include <functional>

#include "executor/calibrate/busy_cores.hpp"
#include "executor/calibrate/step_clock.hpp"
#include "platforms/platform.hpp"

namespace stint {

// Passes over a block of so many bytes, half of which are read and half written.
MakeWork block_work(std::int64_t bytes, int passes);

// Of blocks that stay in one of the device's caches and not in the one before, from the core
// outwards; the last stays in none.
std::vector<std::int64_t> block_sizes(const Device& device);

// Seconds for every byte of a block of so many bytes, touched again and again.
using ByteClock = std::function<double(std::int64_t bytes)>;

// A core of this machine, with the others at rest, or busy with blocks of their own.
ByteClock byte_clock(int core, bool all_busy);

// Of the device's caches, as its workers share them; no entries where it has none.
TimeModel cache_prices_of(const Device& device, const ByteClock& clock);

// The clock's seconds less those of traffic in listed order, as the simulator counts it by the
// prices in the device's time model; a quarter of a task is never taken for traffic.
StepClock without_traffic(StepClock clock, const Device& device);

}  // namespace stint
