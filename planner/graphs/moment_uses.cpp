#include "planner/graphs/moment_uses.hpp"

#include <algorithm>

namespace stint {
namespace {

constexpr std::int64_t small_part = 200;  // of the memory, which rough bounds do without

// Items of at most so many bytes are together a small part of the memory.
std::int64_t small_bytes(const MomentProblem& problem) {
  std::vector<std::int64_t> sizes;
  for (const GraphItem& item : problem.graph->items) sizes.push_back(item.bytes);
  std::sort(sizes.begin(), sizes.end());
  std::int64_t sum = 0;
  std::size_t count = 0;
  while (count < sizes.size() && sum + sizes[count] <= problem.capacity_bytes / small_part)
    sum += sizes[count++];
  return count == sizes.size() ? 0 : sizes[count] - 1;
}

std::vector<char> free_items(const MomentProblem& problem) {
  const DeviceGraph& graph = *problem.graph;
  std::vector<char> only_updates(graph.items.size(), 1);
  for (const GraphTask& task : graph.tasks) {
    const bool is_update = task.runs_once && task.writes.empty();
    for (const GraphItemId read : task.reads) only_updates[read] &= is_update;
  }
  const std::int64_t small = small_bytes(problem);
  std::vector<char> free;
  for (std::size_t i = 0; i < graph.items.size(); ++i) {
    const GraphItem& item = graph.items[i];
    const bool is_gradient = only_updates[i] && !item.is_result && !item.writers.empty();
    const bool moves_in_parts = !problem.moves.empty() && !item.is_alone;
    free.push_back(item.bytes == 0 ||
                   (problem.is_bound && (item.writers.size() > 1 || moves_in_parts)) ||
                   (problem.is_rough && (item.bytes <= small || is_gradient)));
  }
  return free;
}

std::vector<char> idle_tasks(const MomentProblem& problem, const std::vector<char>& is_free) {
  std::vector<char> idle;
  for (const GraphTask& task : problem.graph->tasks) {
    idle.push_back(problem.is_rough &&
                   std::all_of(task.reads.begin(), task.reads.end(),
                               [&](GraphItemId read) { return is_free[read]; }) &&
                   std::all_of(task.writes.begin(), task.writes.end(),
                               [&](const GraphOutput& output) { return is_free[output.item]; }));
  }
  return idle;
}

void find_use(const MomentProblem& problem, int k, std::size_t t, MomentUses& uses) {
  const GraphTask& task = problem.graph->tasks[t];
  bool is_useful = problem.first.latest[t] >= k;
  for (const GraphOutput& output : task.writes) {
    const bool comes_again = !problem.graph->items[output.item].is_fixed;
    const bool counts = !problem.is_rough || !uses.is_free[output.item];
    is_useful = is_useful || (uses.used[k][output.item] && comes_again && counts);
  }
  uses.useful[k][t] = is_useful;
  for (const GraphItemId read : task.reads) uses.used[k][read] = uses.used[k][read] || is_useful;
}

}  // namespace

MomentUses moment_uses(const MomentProblem& problem) {
  const DeviceGraph& graph = *problem.graph;
  const std::size_t tasks = graph.tasks.size();
  const std::size_t intervals = problem.moments.size() + 1;
  MomentUses uses;
  uses.is_free = free_items(problem);
  uses.is_idle = idle_tasks(problem, uses.is_free);
  uses.useful.assign(intervals, std::vector<char>(tasks, 0));
  for (std::size_t k = 0; k < intervals; ++k) {
    auto& used = uses.used.emplace_back();
    for (const GraphItem& item : graph.items) used.push_back(item.is_result);
    const int interval = static_cast<int>(k);
    for (std::size_t t = tasks; t-- > 0;) find_use(problem, interval, t, uses);
    // Those that fetch state stand behind their readers.
    for (std::size_t t = graph.problem_tasks; t < tasks; ++t) find_use(problem, interval, t, uses);
  }
  return uses;
}

}  // namespace stint
