// Every worker's list of actions. An action stands in the list of its worker and, if it is a copy
// that occupies a compute worker, in that worker's list too. These lists and the `after` entries
// are all the order there is: an action happens before another only through them.
//
// Needs actions whose workers and `after` entries are in range.
#pragma once

#include <optional>
#include <vector>

#include "schedules/schedule.hpp"

namespace stint {

// A place in a worker's list.
struct LanePosition {
  WorkerId lane = no_worker;
  int position = 0;
};

struct Lanes {
  std::vector<std::vector<ActionId>> lists;  // by worker
  std::vector<LanePosition> own;             // by action: in its worker's list
  std::vector<int> occupied;  // by action: its position in the list of the worker that it
                              // occupies, or -1
};

Lanes lanes(const Schedule& schedule, int worker_count);

// An order in which every action follows what happens before it: the file's own order where that
// is one. Nothing if the order has a cycle: such a schedule would deadlock.
std::optional<std::vector<ActionId>> topological_order(const Schedule& schedule,
                                                       const Lanes& lanes);

// Both, found once for all who ask: validate() hands them down to simulate().
struct Order {
  Lanes lanes;
  std::optional<std::vector<ActionId>> topological;
  std::vector<int> rank;  // by action: its place in that order; 0 if there is none
};

Order order(const Schedule& schedule, int worker_count);

// The actions of one cycle, in order; for a schedule that has one.
std::vector<ActionId> find_cycle(const Schedule& schedule, const Lanes& lanes);

// Calls visit(p) for every action p that directly precedes `action`: in a list, or by `after`.
template <typename Visit>
void for_each_predecessor(const Schedule& schedule, const Lanes& lanes, ActionId action,
                          Visit visit) {
  const Action& it = schedule.actions[action];
  const LanePosition own = lanes.own[action];
  if (own.position > 0) visit(lanes.lists[own.lane][own.position - 1]);
  if (lanes.occupied[action] > 0) visit(lanes.lists[it.occupies][lanes.occupied[action] - 1]);
  for (const ActionId earlier : it.after) visit(earlier);
}

}  // namespace stint
