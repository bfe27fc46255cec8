#include "planner/placement/placement_starts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "planner/placement/energy_list.hpp"
#include "planner/placement/relaxed_work.hpp"

namespace stint {
namespace {

constexpr double beyond_all_joules = 1e15;  // watts: only time counts

double billed_watts(const Problem& problem) {
  const bool pays_time = problem.request().bill == Bill::makespan;
  return pays_time ? always_on_watts(problem.platform()) : 0;
}

// Everything on one device, as far as it runs there.
PlacementChoice alone(const PlacedGraph& graph, const TaskOrder& order, DeviceId device) {
  std::vector<DeviceId> devices(graph.tasks(), device);
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    if (!std::isfinite(graph.problem->seconds[device][t]))
      devices[t] = graph.ways[t].front().device;
  }
  PlacementChoice choice = plain_choice(graph, order, std::move(devices));
  settle_ties(graph, choice);
  return choice;
}

// The first 1, 2, 4… devices of one kind, or of every kind.
std::vector<std::vector<char>> groups_of_devices(const Platform& platform) {
  std::map<std::string, int> count;
  std::vector<int> place;
  for (const Device& device : platform.devices) place.push_back(count[device.kind]++);
  int most = 1;
  for (const auto& [kind, devices] : count) most = std::max(most, devices);
  std::set<std::vector<char>> known;
  std::vector<std::vector<char>> groups;
  const auto add = [&](int first, const std::string& kind) {
    std::vector<char> uses;
    for (std::size_t d = 0; d < place.size(); ++d)
      uses.push_back(place[d] < first && (kind.empty() || kind == platform.devices[d].kind));
    if (known.insert(uses).second) groups.push_back(std::move(uses));
  };
  for (int first = 1; first < 2 * most; first *= 2) {
    add(std::min(first, most), "");
    for (const auto& [kind, devices] : count) add(std::min(first, most), kind);
  }
  return groups;
}

std::vector<double> prices(const Problem& problem) {
  if (problem.request().objective == Objective::time) return {beyond_all_joules};
  const double billed = billed_watts(problem);
  const double base = billed > 0 ? billed : dearest_second(problem.platform());
  return {0, base / 4, base, base * 4, beyond_all_joules};
}

}  // namespace

std::vector<PlacementChoice> placement_starts(const PlacedGraph& graph) {
  const Problem& problem = *graph.problem;
  std::vector<PlacementChoice> starts;
  for (const TaskOrder& order : memory_orders(problem)) {
    for (std::size_t d = 0; d < problem.platform().devices.size(); ++d) {
      for (const double watts : {billed_watts(problem), beyond_all_joules}) {
        starts.push_back(alone(graph, order, static_cast<DeviceId>(d)));
        set_frugal_states(graph, watts, starts.back());
      }
    }
  }
  for (const auto& uses : groups_of_devices(problem.platform())) {
    for (const double watts : prices(problem)) {
      if (auto choice = list_by_energy(graph, {uses, watts})) starts.push_back(std::move(*choice));
    }
  }
  return starts;
}

std::vector<std::vector<TaskId>> tasks_by_state(const PlacedGraph& graph) {
  std::vector<std::vector<TaskId>> users(graph.states.size());
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    for (const int state : graph.reads_state[t]) users[state].push_back(static_cast<TaskId>(t));
    for (const int state : graph.updates_state[t]) users[state].push_back(static_cast<TaskId>(t));
  }
  std::erase_if(users, [](const std::vector<TaskId>& tasks) { return tasks.size() < 2; });
  return users;
}

}  // namespace stint
