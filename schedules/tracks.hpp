// A simulated step as tracks of spans and curves of watts: what the trace writers print. Times are
// whole nanoseconds, as viewers count them, so that spans of one track never overlap by a rounding
// error; a step longer than 290 years ends there.
#pragma once

#include <cstdint>
#include <vector>

#include "schedules/simulate.hpp"

namespace stint {

struct TrackSpan {
  ActionId action{0};
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

std::int64_t nanoseconds(double seconds);

// By worker: its actions in the order of time. A copy that occupies a compute worker stands on
// both.
std::vector<std::vector<TrackSpan>> tracks(const Schedule& schedule, const Simulation& simulation);

// Live bytes from `ns` on.
struct ByteLevel {
  std::int64_t ns = 0;
  std::int64_t bytes = 0;
};

// By memory: memory_curves() without repetition. Of several levels at one instant the last is kept,
// and the highest if it is a peak, so that the top of a curve is the memory's peak.
std::vector<std::vector<ByteLevel>> byte_curves(const Schedule& schedule,
                                                const Simulation& simulation);

// Watts from `ns` on.
struct PowerLevel {
  std::int64_t ns = 0;
  double watts = 0;
};
using PowerCurve = std::vector<PowerLevel>;

// What runs all the time (base, idle, refresh) and what is busy; neither waiting nor the moments of
// switching between power states. Links count for the node that they come from.
struct PowerCurves {
  std::vector<PowerCurve> of_node;
  std::vector<PowerCurve> of_device;
};
PowerCurves power_curves(const Schedule& schedule, const Simulation& simulation);

}  // namespace stint
