// Local search for several workers, or for copies beside the work: what a sequence of tasks costs
// then is not the sum of its runs, so here every sequence is priced by the simulator.
//
// Runs move in the sequence, first ones too; what runs again is left out or added, items are sent
// away and fetched back or computed again instead. Only sequences that fit are looked at. Simulated
// annealing, counted in sequences priced, never in seconds; it proves nothing. A sequence is priced
// in O(n log n).
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "planner/graphs/graph_draft.hpp"

namespace stint {

struct BesideSearchOptions {
  int sequences = 0;                // to look at
  double first_temperature = 5e-3;  // of what the start costs
  std::uint64_t seed = 0;
  double good_enough = 0;  // value of the objective at which to stop
  const std::atomic<bool>* interrupted = nullptr;
};

// The best few sequences that are better than the start by the objective of the request, within its
// deadline and the crew's memory, the best first: not each of them has addresses. With a place in
// the crew, the graph has moves.
std::vector<TaskSequence> search_beside(const Problem& problem, const DeviceGraph& graph,
                                        const GraphCrew& crew, const TaskSequence& start,
                                        const BesideSearchOptions& options);

}  // namespace stint
