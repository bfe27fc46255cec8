#include "planner/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "planner/keep_all.hpp"
#include "planner/plan.hpp"
#include "schedules/units.hpp"

namespace stint {

namespace {

constexpr std::int64_t one_gib = std::int64_t{1} << 30;
constexpr double one_gb_per_second = 1e9;
constexpr double one_second = 1;

// The unit, or a tenth of what there is where that is less.
double step(double there, double unit) { return there < unit ? there / 10 : unit; }

// The machine and the request of a problem, to be changed and planned for.
struct Changed {
  std::string change;
  Platform platform;
  Request request;
};

Changed unchanged(const Problem& problem) { return {"", problem.platform(), problem.request()}; }

std::vector<MemoryId> short_memories(const Problem& problem) {
  std::vector<MemoryId> all;
  for (std::size_t m = 0; m < problem.capacity_bytes.size(); ++m) {
    const auto memory = static_cast<MemoryId>(m);
    if (problem.platform().memories[m].kind == MemoryKind::storage) continue;
    const bool is_bounded =
        problem.request().memory.contains(memory_name(problem.platform(), memory));
    const auto arena = keep_all_arena(problem, memory);
    if (is_bounded || !arena || *arena > problem.capacity_bytes[m]) all.push_back(memory);
  }
  return all;
}

Changed more_memory(const Problem& problem, MemoryId memory) {
  Changed changed = unchanged(problem);
  const std::int64_t there = problem.capacity_bytes[memory];
  const auto more = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(step(static_cast<double>(there), static_cast<double>(one_gib))));
  const std::int64_t bytes = capped_sum(there, more);
  const std::string name = memory_name(problem.platform(), memory);
  changed.platform.memories[memory].bytes =
      std::max(problem.platform().memories[memory].bytes, bytes);
  if (changed.request.memory.contains(name)) changed.request.memory[name] = bytes;
  changed.change = fmt::format("{} more of {}", bytes_text(more), name);
  return changed;
}

bool joins(const Link& link, MemoryId a, MemoryId b) {
  return (link.from == a && link.to == b) || (link.from == b && link.to == a);
}

Changed faster_links(const Problem& problem, MemoryId a, MemoryId b) {
  Changed changed = unchanged(problem);
  double more = one_gb_per_second;
  for (const Link& link : problem.platform().links) {
    if (joins(link, a, b)) more = std::min(more, step(link.bytes_per_second, one_gb_per_second));
  }
  for (Link& link : changed.platform.links) {
    if (joins(link, a, b)) link.bytes_per_second.value += more;
  }
  changed.change =
      fmt::format("{:.3g} GB/s more between {} and {}", more / one_gb_per_second,
                  memory_name(problem.platform(), a), memory_name(problem.platform(), b));
  return changed;
}

Changed later_deadline(const Problem& problem, double deadline) {
  Changed changed = unchanged(problem);
  const double more = step(deadline, one_second);
  changed.request.deadline_seconds = deadline + more;
  changed.change = seconds_text(more) + " more until the deadline";
  return changed;
}

std::vector<Changed> changes(const Problem& problem) {
  std::vector<Changed> all;
  std::set<std::pair<MemoryId, MemoryId>> joined;
  for (const MemoryId memory : short_memories(problem)) {
    all.push_back(more_memory(problem, memory));
    if (!problem.request().offload) continue;
    for (const Link& link : problem.platform().links) {
      if (link.from == memory || link.to == memory) joined.insert(std::minmax(link.from, link.to));
    }
  }
  for (const auto& [a, b] : joined) all.push_back(faster_links(problem, a, b));
  if (problem.request().deadline_seconds)
    all.push_back(later_deadline(problem, *problem.request().deadline_seconds));
  return all;
}

// Until a later deadline what is always on costs more, and the plan at hand with it.
bool bills_more(const Request& request, const Request& changed) {
  return request.bill == Bill::deadline && request.deadline_seconds != changed.deadline_seconds;
}

WhatIf answer(const Problem& problem, const Schedule& planned, const Changed& changed,
              const SearchOptions& options) {
  const Problem other =
      make_problem(problem.blank.model, changed.platform, changed.request, "the model");
  const Outcome outcome = plan(other, options);
  const double value = planned.predicted.objective.value;
  WhatIf answer{changed.change, 0, value};
  if (!outcome.schedule) return answer;
  const Proof& proof = outcome.schedule->predicted.objective;
  answer.saves = value - proof.value;
  answer.saves_at_most = value - proof.lower_bound;
  if (!bills_more(problem.request(), changed.request)) {
    answer.saves = std::max(0.0, answer.saves);
    answer.saves_at_most = std::max(0.0, answer.saves_at_most);
  }
  return answer;
}

}  // namespace

std::vector<WhatIf> what_if(const Problem& problem, const Schedule& planned,
                            const SearchOptions& options) {
  std::vector<WhatIf> answers;
  SearchOptions silent = options;
  silent.improved = nullptr;
  for (const Changed& changed : changes(problem)) {
    if (options.is_interrupted()) break;
    answers.push_back(answer(problem, planned, changed, silent));
  }
  return answers;
}

}  // namespace stint
