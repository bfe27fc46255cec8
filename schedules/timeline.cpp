#include "schedules/timeline.hpp"

#include <functional>
#include <queue>
#include <tuple>

namespace stint {
namespace {

// The rank breaks ties, so that of two actions at one instant the cause comes first.
using Moment = std::tuple<double, int, int>;  // seconds, rank, and a worker or an action
using Earliest = std::priority_queue<Moment, std::vector<Moment>, std::greater<>>;

}  // namespace

std::vector<TimelineEvent> timeline(const Schedule& schedule, const Order& order,
                                    const Simulation& simulation) {
  const Lanes& lanes = order.lanes;
  const std::vector<int>& rank = order.rank;
  std::vector<TimelineEvent> events;
  events.reserve(2 * schedule.actions.size());
  Earliest heads;    // the next action of every worker's list
  Earliest running;  // actions that have started, by their end
  const auto push_head = [&](WorkerId worker, int position) {
    if (position >= static_cast<int>(lanes.lists[worker].size())) return;
    const ActionId action = lanes.lists[worker][position];
    // An action that stands in two lists is started from its own worker's.
    heads.emplace(simulation.start_seconds[action], rank[action], worker);
  };
  const auto end_until = [&](double seconds) {
    while (!running.empty() && std::get<0>(running.top()) <= seconds) {
      events.push_back({std::get<0>(running.top()), ActionId{std::get<2>(running.top())}, false});
      running.pop();
    }
  };
  std::vector<int> position(lanes.lists.size(), 0);
  for (int w = 0; w < static_cast<int>(lanes.lists.size()); ++w) push_head(WorkerId{w}, 0);
  while (!heads.empty()) {
    const WorkerId worker{std::get<2>(heads.top())};
    heads.pop();
    const ActionId action = lanes.lists[worker][position[worker]];
    if (lanes.own[action].lane == worker) {
      const double start = simulation.start_seconds[action];
      end_until(start);
      events.push_back({start, action, true});
      running.emplace(start + simulation.seconds[action], rank[action], action);
    }
    push_head(worker, ++position[worker]);
  }
  while (!running.empty()) end_until(std::get<0>(running.top()));
  return events;
}

}  // namespace stint
