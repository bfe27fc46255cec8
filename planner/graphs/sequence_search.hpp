// Local search over sequences of tasks as they are: a run that is not the first of its task may be
// left out, moved or added anywhere, and what remains is still a plan, because who reads an item
// reads its latest instance. So it reaches plans that compute things three times, or keep them from
// one run to the next, which the bits of retention.hpp cannot tell: for tight memories, and for
// plans that come from elsewhere.
//
// Simulated annealing. A run is left out with all that was only for it, moves, or is added; where
// that takes too much memory, things that fill the peak are computed again before they are next
// read, with what that needs, until it fits or becomes too dear. Bounded by the number of steps
// looked at. It proves nothing. A start that takes too much memory is mended bit by bit, by ever
// less that is allowed: by many cheap runs rather than by the first dear one.
//
// Asked to, it also moves first runs, as far as those allow that a task waits for or that wait for
// it; and looks for plans that have addresses: then the arena that first-fit needs counts instead
// of what is live, for all that would be accepted otherwise.
#pragma once

#include <vector>

#include "planner/graphs/retention_search.hpp"

namespace stint {

struct SequenceSearchOptions : RetentionSearchOptions {
  // By task, those that must have run before it. Null: the order of first runs stays as it is.
  const std::vector<std::vector<TaskId>>* before = nullptr;
  bool with_addresses = false;
  double heat = 0.4;  // of what a task costs on average: a rise that is accepted in the beginning
};

// The cheapest plan that fits; the start if it fits and nothing better is found. Nothing if no plan
// fits.
std::optional<GraphPlan> search_sequence(const DeviceGraph& graph, SequenceMeter& meter,
                                         TaskSequence start, const SequenceSearchOptions& options);

// The same, and the next best of those that it came by, the cheapest first: of plans with addresses
// each may yet turn out to have none where more is known of its buffers.
std::vector<GraphPlan> search_sequences(const DeviceGraph& graph, SequenceMeter& meter,
                                        TaskSequence start, const SequenceSearchOptions& options);

}  // namespace stint
