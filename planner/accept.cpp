#include "planner/accept.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace stint {

bool accept(const Problem& problem, const Schedule& schedule, Answer& answer) {
  const double seconds = schedule.predicted.seconds;
  const bool in_time = meets(seconds, deadline_seconds(problem.request()));
  std::vector<std::pair<MemoryId, std::int64_t>> exceeded;
  for (const auto& [name, arena] : schedule.arenas) {
    const MemoryId memory = *find_memory(problem.platform(), name);
    if (arena > problem.capacity_bytes[memory]) exceeded.emplace_back(memory, arena);
  }
  if (exceeded.empty() && !in_time && (!answer.least_seconds || seconds < *answer.least_seconds)) {
    answer.least_seconds = seconds;
    answer.late = schedule;
  }
  if (exceeded.size() == 1 && in_time) {
    const auto [least, is_new] = answer.least_arena.insert(exceeded.front());
    least->second = std::min(least->second, exceeded.front().second);
  }
  return exceeded.empty() && in_time;
}

bool keep_if_better(Schedule schedule, const SearchOptions& options, Answer& answer) {
  const double value = schedule.predicted.objective.value;
  if (answer.schedule && answer.schedule->predicted.objective.value <= value) return false;
  answer.schedule = std::move(schedule);
  if (options.improved) options.improved(*answer.schedule);
  return true;
}

}  // namespace stint
