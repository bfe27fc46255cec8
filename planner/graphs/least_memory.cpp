#include "planner/graphs/least_memory.hpp"

#include <algorithm>
#include <utility>

#include "planner/accept.hpp"
#include "planner/draft.hpp"
#include "planner/graphs/graph.hpp"
#include "planner/halving.hpp"
#include "planner/memory_bound.hpp"

namespace stint {
namespace {

constexpr int halvings = 7;
constexpr double limit_share = 0.03;  // of each: any plan will do

Problem within(const Problem& problem, const std::string& memory, std::int64_t bytes) {
  Request request = problem.request();
  request.objective = Objective::energy;
  request.memory[memory] = bytes;
  request.limit *= limit_share;
  return with_request(problem, request);
}

}  // namespace

Answer plan_of_least_memory(const Problem& problem, const SearchOptions& options, MemoryId memory) {
  const std::string name = memory_name(problem.platform(), memory);
  SearchOptions quietly = options;
  quietly.improved = nullptr;
  quietly.known = nullptr;
  Answer answer;
  std::int64_t fits = problem.capacity_bytes[memory];
  if (options.known && options.known->arenas.contains(name))
    fits = std::min(fits, options.known->arenas.at(name));
  const auto arena_within = [&](std::int64_t bytes) -> std::optional<std::int64_t> {
    auto found = graph(within(problem, name, bytes), quietly);
    if (!found || !found->schedule) return std::nullopt;
    Schedule schedule = std::move(*found->schedule);
    schedule.request = problem.request();
    reprice(problem, schedule);
    const std::int64_t arena = schedule.arenas[name];
    if (accept(problem, schedule, answer)) keep_if_better(std::move(schedule), options, answer);
    return arena;
  };
  least_bytes({memory_bound(problem, memory).bytes - 1, fits, halvings}, options, arena_within);
  return answer;
}

}  // namespace stint
