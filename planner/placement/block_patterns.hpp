// What a few tasks between two others cost at least, by where each of them runs.
//
// A pattern is a memory for the task before and the task after, and a device for each task between
// them. For every pattern and every choice of power states the time from the end of the one to the
// beginning of the other is at least
//   - the longest path, with copies where an item goes to another memory, and
//   - for each device and every set A of its tasks  min r + Σ p / workers + min q  over A, with p
//     the durations, r and q the longest paths before and after a task (one machine with heads and
//     tails: Carlier 1982), and the same for the copies into each memory, which share its links.
// Joules are those of the tasks, and for every memory into which results go those of the copies, or
// of running their writer once more there. Both are tried. A writer that runs again has a turn on
// the only device of that memory, after all that it needs and before those for whom it runs; but
// executions of the task before the block may have run earlier. A copy lengthens no term above by
// more than three times its seconds (once on a path, in a head and in a tail, or with its turn on a
// link), so where running again costs more joules than the copy and that time at the price of a
// second, it is not tried. So for a price of a second joules + price × time of no plan is below the
// least over all of these. Everything is counted in the whole units of the relaxation, rounded
// down.
//
// All combinations of ways to run the tasks are looked at, so it is for blocks of few tasks.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/placement/relaxed_placement.hpp"
#include "planner/placement/relaxed_work.hpp"

namespace stint {

struct BlockPattern {
  MemoryId first_memory = no_memory;
  MemoryId then_memory = no_memory;
  std::vector<DeviceId> devices;  // by task between
};

class BlockPatterns {
 public:
  // Whether there are few enough of them.
  static bool are_few(const PlacedGraph& graph, const WorkBetween& block);

  BlockPatterns(const PlacedGraph& graph, const RelaxedUnits& units, const WorkBetween& block);

  const std::vector<BlockPattern>& all() const { return patterns_; }
  // By pattern, in joule units, for so many of them for a second unit.
  std::vector<std::int64_t> least_at(std::int64_t price) const;

 private:
  const PlacedGraph& graph_;
  const RelaxedUnits units_;
  const WorkBetween block_;
  std::vector<BlockPattern> patterns_;
};

}  // namespace stint
