// Local search over what is kept: simulated annealing on one bit for every item and gap, with the
// peak above the bound as a penalty. Half of the moves look at the sequence at hand: something that
// fills the peak is dropped, or something that is computed again is kept. Any size; it proves
// nothing. Bounded by a number of steps looked at, never by time, so the same start and seed give
// the same plan.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "planner/graphs/retention.hpp"

namespace stint {

// A sequence and what it takes.
struct GraphPlan {
  TaskSequence sequence;
  SequenceMeasure measure;
};

struct RetentionSearchOptions {
  std::int64_t capacity_bytes = 0;
  std::int64_t steps = 0;  // of all sequences that are looked at
  std::uint64_t seed = 0;
  double good_enough = 0;  // cost at which to stop
  const std::atomic<bool>* interrupted = nullptr;
};

struct RetentionFound {
  std::optional<GraphPlan> plan;  // the cheapest within the capacity
  Retention retention;            // its own, or the last one if there is none
};

RetentionFound search_retention(const DeviceGraph& graph, const RetentionGaps& gaps,
                                SequenceMeter& meter, Retention start,
                                const RetentionSearchOptions& options);

}  // namespace stint
