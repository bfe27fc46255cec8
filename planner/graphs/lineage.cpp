#include "planner/graphs/lineage.hpp"

#include <algorithm>
#include <iterator>

namespace stint {
namespace {

constexpr double nearly = 0.95;  // of the most relatives

// By task: whether it depends on `task` (or the other way round).
std::vector<char> relatives(const Problem& problem, TaskId task, bool later) {
  const std::size_t tasks = problem.needs.size();
  std::vector<char> related(tasks, 0);
  related[task] = 1;
  if (later) {
    for (std::size_t t = task; t < tasks; ++t) {
      for (const TaskId before : problem.needs[t]) related[t] = related[t] || related[before];
    }
  } else {
    for (std::size_t t = task + std::size_t{1}; t-- > 0;) {
      if (!related[t]) continue;
      for (const TaskId before : problem.needs[t]) related[before] = 1;
    }
  }
  related[task] = 0;
  return related;
}

}  // namespace

Lineage::Lineage(const Problem& problem)
    : problem_(&problem), possible_(problem.needs.size(), 1), counts_(problem.needs.size(), -1) {}

bool Lineage::add(TaskId task) {
  if (!possible_[task]) return false;
  // The listed order respects dependencies.
  tasks_.insert(std::upper_bound(tasks_.begin(), tasks_.end(), task), task);
  const auto before = relatives(*problem_, task, false);
  const auto after = relatives(*problem_, task, true);
  for (std::size_t t = 0; t < possible_.size(); ++t)
    possible_[t] = possible_[t] && (before[t] || after[t]);
  return true;
}

bool Lineage::add_around(const TaskOrder& order, int position) {
  TaskId best = no_task;
  for (int away = 0; away <= furthest; ++away) {
    for (const int p : {position - away, position + away}) {
      if (p < 0 || p >= std::ssize(order) || !possible_[order[p]]) continue;
      if (best == no_task || nearly * count_of_relatives(order[p]) > count_of_relatives(best))
        best = order[p];
    }
  }
  return best != no_task && add(best);
}

bool Lineage::add_highest(const TaskOrder& order, int position,
                          const std::vector<std::int64_t>& bytes, bool related) {
  const int last = std::min<int>(position + furthest, static_cast<int>(order.size()) - 1);
  const int first = std::max(position - furthest, 0);
  int relatives = 0;
  for (int p = first; related && p <= last; ++p) {
    if (possible_[order[p]]) relatives = std::max(relatives, count_of_relatives(order[p]));
  }
  int best = -1;
  for (int p = first; p <= last; ++p) {
    if (bytes[p] == 0 || !possible_[order[p]]) continue;
    const bool is_related = !related || count_of_relatives(order[p]) > nearly * relatives;
    if (is_related && (best < 0 || bytes[p] > bytes[best])) best = p;
  }
  return best >= 0 && add(order[best]);
}

int Lineage::count_of_relatives(TaskId task) {
  if (counts_[task] < 0) {
    const auto before = relatives(*problem_, task, false);
    const auto after = relatives(*problem_, task, true);
    counts_[task] = static_cast<int>(std::count(before.begin(), before.end(), 1) +
                                     std::count(after.begin(), after.end(), 1));
  }
  return counts_[task];
}

}  // namespace stint
