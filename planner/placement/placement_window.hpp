// A stretch of the order of a large graph as a small problem of its own: in a graph of thousands of
// tasks a replay of everything for every move is dear, and most moves matter only nearby.
//
// What the stretch reads comes from tasks of no seconds on the devices that have it, what it leaves
// behind is read by such tasks on the devices that want it; so copies over its borders count. Tasks
// that state or parts tie to others stay where they are. Memory does not count, nor what overlaps
// the borders in time: whether a solution is of use is for a replay of the whole to say.
#pragma once

#include <optional>
#include <vector>

#include "planner/placement/placement_choice.hpp"

namespace stint {

struct PlacementWindow {
  Problem problem;
  std::vector<TaskId>
      task_of;  // by task of the small problem: that of the large; no_task: a border
};

// The tasks at places [first, end) of the choice's order. Nothing if several tasks write one of the
// items that they use.
std::optional<PlacementWindow> placement_window(const PlacedGraph& graph,
                                                const PlacementChoice& choice, int first, int end);

// The part of a choice for the large graph that is a choice for the small one, and back.
PlacementChoice choice_inside(const PlacementWindow& window, const PlacedGraph& inside,
                              const PlacementChoice& choice);
PlacementChoice choice_outside(const PlacementWindow& window, const PlacementChoice& inside,
                               PlacementChoice choice, int first);

}  // namespace stint
