// Caches as memories: how much longer a task takes, and how much more energy, because what it
// touches is no longer in a cache.
//
// A worker keeps in its share of a cache what it touched last (least recently used first to go). A
// task that touches bytes again finds them in the cache of a level if, since the worker touched
// them before, it has touched no more distinct bytes than its share, those bytes included. Else
// they cost the seconds that the device's time model says under `cache`, by byte and level; or
// those of the task's own model, if it has terms `level2_bytes`, `level2_operands` or
// `level2_code`, by byte and by operand that is not in the cache of that level: what is fetched in
// small pieces waits for each of them, and kernels differ in how well they hide it. To run, a task
// also needs the code of its op, and what was written down about the task itself; each of the two
// that was used so long ago that it is in that cache no more counts as one of `level2_code`. Tasks
// that something else than a model prices, a measured kernel or seconds of their own, cost what
// stands under `cache`. Joules are the same for all tasks: those that the device's caches say for a
// byte that is not in them, however fast it is fetched. Steps follow each other: what the last one
// touched in the end is there when the next begins. Workers are looked at one by one, by their
// lists alone: the answer depends on no times. What another worker has put into a shared cache is
// not found there.
//
// So a leaf that passes through several layers while it is in a cache takes less time and energy
// than all leaves through one layer after the other. Without such prices it costs nothing to ask.
// Reference: Mattson, Gecsei, Slutz and Traiger, 1970 (stack distances). O(n log n) in the segments
// touched.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "schedules/cost.hpp"
#include "schedules/lanes.hpp"
#include "schedules/schedule.hpp"

namespace stint {

inline constexpr const char* cache_prices = "cache";  // the key of the time model

// Terms of an op's own time model.
std::string missed_bytes_term(int level);
std::string missed_operands_term(int level);
std::string missed_code_term(int level);
bool is_cache_term(const std::string& name);

// Whether a device of the platform has caches that its time model prices, or joules for them.
bool prices_caches(const Platform& platform);

// By action, beside what the task takes by itself. Empty if nothing is priced.
struct CacheCosts {
  std::vector<double> seconds;  // at speed 1
  std::vector<double> joules;   // at any speed
};
CacheCosts cache_costs(const Schedule& schedule, const std::vector<Worker>& workers,
                       const Lanes& lanes, const TaskTimes& times);

// Where traffic is taken out of a measured time, so much of it is left: prices may be too high.
inline constexpr double least_own_share = 0.25;

// The seconds if every task stated its own, or was measured: by the prices of all ops alone. What
// is to be stated must not hold what is added here.
std::vector<double> cache_seconds_if_stated(const Schedule& schedule,
                                            const std::vector<Worker>& workers, const Lanes& lanes);

// The joules alone, which no times decide.
std::vector<double> cache_joules(const Schedule& schedule, const std::vector<Worker>& workers,
                                 const Lanes& lanes);

// By action and cache of its device: bytes that were not in it. Empty if nothing is priced.
std::vector<std::vector<double>> missed_bytes(const Schedule& schedule,
                                              const std::vector<Worker>& workers,
                                              const Lanes& lanes);

// By task: the values of these terms where a worker of the device runs the graph in listed order.
// Terms that are 0 everywhere are there too.
std::vector<std::map<std::string, double>> cache_features(const Graph& graph, const Device& device);

}  // namespace stint
