// From a sequence of tasks to a draft: every instance of an item is a buffer, parts lie within it,
// inputs come in just before they are first read.
//
// On several workers each task goes to the one that can begin it first, in the order of the
// sequence. What runs side by side is live at once: a task begins only when enough of those before
// it have ended for everything to fit.
#pragma once

#include <optional>
#include <vector>

#include "planner/chains/chain_costs.hpp"
#include "planner/draft.hpp"
#include "planner/graphs/sequence.hpp"

namespace stint {

// When a step of a sequence begins and ends in a timetable, in any unit.
struct StepTime {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

struct GraphCrew {
  int workers = 1;                           // of the device
  std::vector<int> states;                   // by task: the power state it runs in
  std::int64_t capacity_bytes = huge_bytes;  // for the items
  std::optional<SlowPlace> place;            // where items are sent, if the graph has moves
  // By step: it waits for all that has ended by then, and for nothing else. Empty: none is known.
  std::vector<StepTime> times;
};

Draft graph_draft(const Problem& problem, const DeviceGraph& graph, const TaskSequence& sequence,
                  const GraphCrew& crew);

}  // namespace stint
