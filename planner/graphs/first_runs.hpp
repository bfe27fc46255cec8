// In which of the intervals between moments tasks may run first: in a given order, or in every order
// that dependencies permit. O(n + e).
#pragma once

#include <vector>

#include "planner/order.hpp"
#include "planner/problem.hpp"

namespace stint {

// The intervals in which a task may run first: 0 is before the first moment. A moment's own task
// runs first at the end of the interval before it.
struct FirstRuns {
  std::vector<int> earliest;
  std::vector<int> latest;
};

// `moments`: tasks in the order of their first runs.
FirstRuns first_runs_in_order(const TaskOrder& order, const std::vector<TaskId>& moments);

// Needs moments each of which depends on the one before it.
FirstRuns first_runs_in_any_order(const Problem& problem, const std::vector<TaskId>& moments);

}  // namespace stint
