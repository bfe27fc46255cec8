#include "planner/graphs/first_runs.hpp"

#include <algorithm>

namespace stint {

FirstRuns first_runs_in_order(const TaskOrder& order, const std::vector<TaskId>& moments) {
  FirstRuns first;
  first.earliest.resize(order.size());
  std::size_t interval = 0;
  for (const TaskId task : order) {
    first.earliest[task] = static_cast<int>(interval);
    if (interval < moments.size() && moments[interval] == task) ++interval;
  }
  first.latest = first.earliest;
  return first;
}

FirstRuns first_runs_in_any_order(const Problem& problem, const std::vector<TaskId>& moments) {
  const std::size_t tasks = problem.graph().tasks.size();
  FirstRuns first{std::vector<int>(tasks, 0),
                  std::vector<int>(tasks, static_cast<int>(moments.size()))};
  for (std::size_t k = 0; k < moments.size(); ++k) {
    first.earliest[moments[k]] = std::max(first.earliest[moments[k]], static_cast<int>(k));
    first.latest[moments[k]] = std::min(first.latest[moments[k]], static_cast<int>(k));
  }
  std::vector<int> moment_at(tasks, -1);
  for (std::size_t k = 0; k < moments.size(); ++k) moment_at[moments[k]] = static_cast<int>(k);
  for (std::size_t t = 0; t < tasks; ++t) {
    for (const TaskId before : problem.needs[t]) {
      const int least = moment_at[before] >= 0 ? moment_at[before] + 1 : first.earliest[before];
      first.earliest[t] = std::max(first.earliest[t], least);
    }
  }
  for (std::size_t t = tasks; t-- > 0;) {
    for (const TaskId before : problem.needs[t])
      first.latest[before] = std::min(first.latest[before], first.latest[t]);
  }
  return first;
}

}  // namespace stint
