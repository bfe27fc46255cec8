// How long a graph of tasks takes at least on so many workers, whatever is computed again.
//
// A waist is a task that every other one comes before or after: what comes before it is done when
// it first begins, what comes after begins when it has ended. So the stretches between waists
// follow each other, and their times add up. Within a stretch, a task begins no earlier than the
// longest path to it (its head) and leaves time for the longest path from it (its tail); all tasks
// with heads of at least a and tails of at least b share the workers between a and the end but b.
// (Fernández and Bussell 1973, for a few hundred values of a.) O(n · heads + e).
#pragma once

#include <vector>

#include "models/graph.hpp"
#include "models/graph_algorithms.hpp"

namespace stint {

struct Waist {
  TaskId task{0};
  double begin = 0;  // no plan begins it earlier
};

struct MakespanBound {
  double seconds = 0;
  std::vector<Waist> waists;
};

// In the order of their ids. `needs` as below.
std::vector<TaskId> waists(const Predecessors& needs);

// `needs` in an order in which all that a task needs has smaller ids.
MakespanBound makespan_bound(const Predecessors& needs, const std::vector<double>& seconds,
                             double workers);

}  // namespace stint
