// Seconds and costs of runs and copies on one device as whole numbers, all rounded down, so that
// what is proved of them holds for the real ones.
//
// The objective of a plan is at least `base` and `unit_cost` for every unit of cost: of time, where
// that costs anything, and of what runs or moves beyond each task once at its least.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/graphs/device_graph.hpp"

namespace stint {

struct TimedWay {
  int state = 0;
  std::int64_t length = 0;  // in units of time
  std::int64_t cost = 0;    // beyond the least
};

// Of a tensor, over the cheapest and over the fastest link.
struct TimedTransfer {
  std::int64_t cost = 0;
  std::int64_t length = 0;
};

struct TimedPrices {
  double unit_seconds = 1;
  double unit_cost = 1;
  double base = 0;
  std::int64_t time_cost = 0;               // of a unit of time: 1, or 0
  std::vector<std::vector<TimedWay>> ways;  // by task of the problem
  std::vector<std::int64_t> least_cost;     // likewise, of one run
  // By tensor, out of the memory and back; empty where nothing can be moved.
  std::vector<TimedTransfer> out;
  std::vector<TimedTransfer> back;
  std::optional<std::int64_t> deadline;  // in units of time

  bool can_move() const { return !out.empty(); }
  double value(std::int64_t cost) const { return base + static_cast<double>(cost) * unit_cost; }
  // The largest cost of plans whose value is less.
  std::int64_t below(double value) const;
};

// With `units` of time in `seconds`. Nothing if neither time nor a deadline matters, or the
// objective is of another kind.
std::optional<TimedPrices> timed_prices(const Problem& problem, const DeviceGraph& graph,
                                        double seconds, double units);

}  // namespace stint
