// Caches as memories: how long a task takes longer because what it touches is no longer in a cache.
//
// A worker keeps in its share of a cache what it touched last (least recently used first to go). A
// task that touches bytes again finds them in the cache of a level if, since the worker touched
// them before, it has touched no more distinct bytes than its share, those bytes included. Else
// they cost the seconds that the device's time model says under `cache`, by byte and level. Steps
// follow each other: what the last one touched in the end is there when the next begins. Workers
// are looked at one by one, by their lists alone: the answer depends on no times. What another
// worker has put into a shared cache is not found there.
//
// So a leaf that passes through several layers while it is in a cache takes less time than all
// leaves through one layer after the other. Without such prices it costs nothing to ask.
// Reference: Mattson, Gecsei, Slutz and Traiger, 1970 (stack distances). O(n log n) in the segments
// touched.
#pragma once

#include <vector>

#include "schedules/lanes.hpp"
#include "schedules/schedule.hpp"

namespace stint {

inline constexpr const char* cache_prices = "cache";  // the key of the time model

// Whether a device of the platform has caches that its time model prices.
bool prices_caches(const Platform& platform);

// By action: seconds at speed 1 beside what the task takes by itself. Empty if nothing is priced.
std::vector<double> cache_seconds(const Schedule& schedule, const std::vector<Worker>& workers,
                                  const Lanes& lanes);

}  // namespace stint
