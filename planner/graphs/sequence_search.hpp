// Local search over sequences of tasks as they are: a run that is not the first of its task may be
// left out, moved or added anywhere, and what remains is still a plan, because who reads an item
// reads its latest instance. So it reaches plans that compute things three times, or keep them from
// one run to the next, which the bits of retention.hpp cannot tell: for tight memories, and for
// plans that come from elsewhere.
//
// Simulated annealing. A run is left out with all that was only for it, moves, or is added; where
// that takes too much memory, things that fill the peak are computed again before they are next
// read, with what that needs, until it fits or becomes too dear. Bounded by the number of steps
// looked at. It proves nothing.
#pragma once

#include "planner/graphs/retention_search.hpp"

namespace stint {

// The cheapest plan that fits; the start if it fits and nothing better is found. The order of first
// runs stays as it is. Nothing if no plan fits.
std::optional<GraphPlan> search_sequence(const DeviceGraph& graph, SequenceMeter& meter,
                                         TaskSequence start, const RetentionSearchOptions& options);

}  // namespace stint
