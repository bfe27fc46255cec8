#include "schedules/lanes.hpp"

#include <algorithm>
#include <numeric>

namespace stint {
namespace {

bool file_order_respects_after(const Schedule& schedule) {
  for (int i = 0; i < static_cast<int>(schedule.actions.size()); ++i) {
    for (const ActionId earlier : schedule.actions[i].after) {
      if (earlier >= i) return false;
    }
  }
  return true;
}

// How many predecessors of each action are not done yet, and who waits for whom.
struct Waiting {
  std::vector<int> open;
  std::vector<std::vector<ActionId>> successors;
};

Waiting waiting(const Schedule& schedule, const Lanes& lanes) {
  const std::size_t count = schedule.actions.size();
  Waiting result{std::vector<int>(count, 0), std::vector<std::vector<ActionId>>(count)};
  for (int i = 0; i < static_cast<int>(count); ++i) {
    for_each_predecessor(schedule, lanes, ActionId{i}, [&](ActionId earlier) {
      ++result.open[i];
      result.successors[earlier].push_back(ActionId{i});
    });
  }
  return result;
}

// Kahn's algorithm; what is missing from the result is on, or behind, a cycle.
std::vector<ActionId> order_as_far_as_possible(Waiting& waiting) {
  std::vector<ActionId> order;
  order.reserve(waiting.open.size());
  for (int i = 0; i < static_cast<int>(waiting.open.size()); ++i) {
    if (waiting.open[i] == 0) order.push_back(ActionId{i});
  }
  for (std::size_t next = 0; next < order.size(); ++next) {
    for (const ActionId later : waiting.successors[order[next]]) {
      if (--waiting.open[later] == 0) order.push_back(later);
    }
  }
  return order;
}

}  // namespace

Lanes lanes(const Schedule& schedule, int worker_count) {
  Lanes result;
  result.lists.resize(worker_count);
  result.own.reserve(schedule.actions.size());
  result.occupied.reserve(schedule.actions.size());
  const auto append = [&](WorkerId worker, int action) {
    result.lists[worker].push_back(ActionId{action});
    return static_cast<int>(result.lists[worker].size()) - 1;
  };
  for (int i = 0; i < static_cast<int>(schedule.actions.size()); ++i) {
    const Action& action = schedule.actions[i];
    result.own.push_back({action.worker, append(action.worker, i)});
    result.occupied.push_back(action.occupies == no_worker ? -1 : append(action.occupies, i));
  }
  return result;
}

std::optional<std::vector<ActionId>> topological_order(const Schedule& schedule,
                                                       const Lanes& lanes) {
  if (file_order_respects_after(schedule)) {
    std::vector<ActionId> order(schedule.actions.size());
    for (int i = 0; i < static_cast<int>(order.size()); ++i) order[i] = ActionId{i};
    return order;
  }
  Waiting state = waiting(schedule, lanes);
  std::vector<ActionId> order = order_as_far_as_possible(state);
  if (order.size() < schedule.actions.size()) return std::nullopt;
  return order;
}

Order order(const Schedule& schedule, int worker_count) {
  Order result;
  result.lanes = lanes(schedule, worker_count);
  result.topological = topological_order(schedule, result.lanes);
  result.rank.assign(schedule.actions.size(), 0);
  if (!result.topological) return result;
  int next = 0;
  for (const ActionId action : *result.topological) result.rank[action] = next++;
  return result;
}

std::vector<ActionId> find_cycle(const Schedule& schedule, const Lanes& lanes) {
  Waiting state = waiting(schedule, lanes);
  order_as_far_as_possible(state);
  const auto stuck =
      std::find_if(state.open.begin(), state.open.end(), [](int n) { return n > 0; });
  // Every stuck action has a stuck predecessor, so walking back from one must come round.
  std::vector<int> step(schedule.actions.size(), -1);
  std::vector<ActionId> walk;
  ActionId at{static_cast<int>(stuck - state.open.begin())};
  while (step[at] < 0) {
    step[at] = static_cast<int>(walk.size());
    walk.push_back(at);
    ActionId previous = at;
    for_each_predecessor(schedule, lanes, at, [&](ActionId earlier) {
      if (state.open[earlier] > 0) previous = earlier;
    });
    at = previous;
  }
  std::vector<ActionId> cycle(walk.begin() + step[at], walk.end());
  std::reverse(cycle.begin(), cycle.end());
  return cycle;
}

}  // namespace stint
