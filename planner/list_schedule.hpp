// List scheduling: tasks are taken up in a given order, and each goes to the worker that finishes
// it first, copies of what it reads included (Graham, 1966; Topcuoglu, Hariri and Wu, 2002, without
// insertion). Inputs and state are at home in the memory where they are first needed; state whose
// updates belong together has one home, and its updates run there.
//
// Times here only steer; what a plan takes is for the simulator to say. O((n + e) · devices).
#pragma once

#include <optional>
#include <vector>

#include "planner/order.hpp"
#include "planner/pieces.hpp"
#include "planner/problem.hpp"
#include "planner/steps.hpp"

namespace stint {

// Who may work, and how fast.
struct Crew {
  std::vector<int> workers;  // by device: how many of its workers; 0: none
  std::vector<int> state;    // by device: the power state of all its actions
};

// Nothing if the crew cannot do it: a task that none of them runs, data that no link can bring.
std::optional<Steps> list_schedule(const Problem& problem, const Pieces& pieces,
                                   const TaskOrder& order, const Crew& crew);

}  // namespace stint
