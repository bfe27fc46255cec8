// How many bytes of every memory are in use over time: the lifetimes of buffers on the timeline.
// Sizes are rounded up to the memory's alignment, as they are in the arena.
#pragma once

#include <cstdint>
#include <vector>

#include "schedules/timeline.hpp"

namespace stint {

struct LiveChange {
  double seconds = 0;
  MemoryId memory{0};
  std::int64_t bytes = 0;  // more (> 0) or fewer (< 0) are in use from now on
};

// In the order of the timeline; what is there from the start comes first.
std::vector<LiveChange> live_changes(const Schedule& schedule,
                                     const std::vector<TimelineEvent>& timeline);

// The highest level by memory, without a list of all changes.
std::vector<std::int64_t> peak_bytes(const Schedule& schedule,
                                     const std::vector<TimelineEvent>& timeline);

}  // namespace stint
