#include "planner/placement/placement_choice.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace stint {
namespace {

// Reads a schedule from its start to its end: who computes what where, and which items are written
// to a memory again.
class Reading {
 public:
  Reading(const PlacedGraph& graph, const Schedule& schedule)
      : graph_(graph),
        schedule_(schedule),
        uses_(uses_of(graph)),
        last_use_(graph.flat.items.size(), -1),
        seen_(graph.tasks(), false) {
    choice_ = plain_choice(graph, {}, std::vector<DeviceId>(graph.tasks(), DeviceId{0}));
  }

  PlacementChoice read() {
    for (const Action& action : schedule_.actions) {
      if (action.what == Do::compute) compute(action);
      if (action.what == Do::copy) copy(action);
    }
    return std::move(choice_);
  }

 private:
  GraphItemId item_of(BufferId buffer) const {
    const TensorId tensor = buffer == no_buffer ? no_tensor : schedule_.buffers[buffer].tensor;
    return tensor == no_tensor ? no_graph_item : graph_.flat.item_of[tensor];
  }

  void compute(const Action& action) {
    if (seen_[action.task]) return again(action);
    seen_[action.task] = true;
    const DeviceId device{graph_.problem->workers[action.worker].device};
    choice_.order.push_back(action.task);
    choice_.device[action.task] = device;
    choice_.state[action.task] = std::max(0, action.state);
    choice_.device_state[device] = std::max(0, action.state);
    for (int use = uses_.first[action.task]; use < uses_.first[action.task + 1]; ++use)
      last_use_[uses_.item[use]] = use;
  }
  void again(const Action& action) {
    for (const BufferId buffer : action.writes) {
      const GraphItemId item = item_of(buffer);
      if (item != no_graph_item && last_use_[item] >= 0)
        choice_.after[last_use_[item]] = AfterUse::drop;
    }
  }
  // Back to a memory where the item was written or read before.
  void copy(const Action& action) {
    const GraphItemId item = item_of(action.writes.front());
    if (item == no_graph_item || last_use_[item] < 0) return;
    const MemoryId to = schedule_.buffers[action.writes.front()].memory;
    if (!been_in_.insert({item, to}).second) choice_.after[last_use_[item]] = AfterUse::send;
    been_in_.insert({item, schedule_.buffers[action.reads.front()].memory});
  }

  const PlacedGraph& graph_;
  const Schedule& schedule_;
  PlacedUses uses_;
  PlacementChoice choice_;
  std::vector<int> last_use_;  // by item
  std::vector<bool> seen_;     // by task
  std::set<std::pair<GraphItemId, MemoryId>> been_in_;
};

}  // namespace

PlacedUses uses_of(const PlacedGraph& graph) {
  PlacedUses uses;
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    uses.first.push_back(static_cast<int>(uses.item.size()));
    const GraphTask& task = graph.flat.tasks[t];
    uses.item.insert(uses.item.end(), task.reads.begin(), task.reads.end());
    for (const GraphOutput& output : task.writes) uses.item.push_back(output.item);
  }
  uses.first.push_back(static_cast<int>(uses.item.size()));
  return uses;
}

PlacementChoice plain_choice(const PlacedGraph& graph, TaskOrder order,
                             std::vector<DeviceId> device) {
  PlacementChoice choice;
  choice.order = std::move(order);
  choice.device = std::move(device);
  choice.state.assign(graph.tasks(), 0);
  choice.device_state.assign(graph.problem->platform().devices.size(), 0);
  choice.after.assign(uses_of(graph).item.size(), AfterUse::keep);
  choice.repeats.assign(graph.flat.items.size(), 0);
  choice.holds.assign(graph.flat.items.size(), 1);
  return choice;
}

void settle_ties(const PlacedGraph& graph, PlacementChoice& choice) {
  for (const auto& group : graph.tied) {
    const auto all_run_in = [&](MemoryId memory) {
      return std::all_of(group.begin(), group.end(),
                         [&](TaskId task) { return graph.first_way(task, memory) != nullptr; });
    };
    MemoryId memory = graph.memory_of(choice.device[group.front()]);
    for (int m = 0; !all_run_in(memory); ++m) memory = static_cast<MemoryId>(m);
    for (const TaskId task : group) {
      if (graph.memory_of(choice.device[task]) == memory) continue;
      choice.device[task] = graph.first_way(task, memory)->device;
      choice.state[task] = 0;
    }
  }
}

void settle_order(const PlacedGraph& graph, PlacementChoice& choice) {
  const auto& before = graph.problem->before;
  std::vector<int> place(graph.tasks());
  for (std::size_t i = 0; i < choice.order.size(); ++i)
    place[choice.order[i]] = static_cast<int>(i);
  std::vector<std::size_t> missing;
  std::vector<std::vector<TaskId>> followers(graph.tasks());
  std::set<std::pair<int, TaskId>> ready;
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    const auto task = static_cast<TaskId>(t);
    missing.push_back(before[t].size());
    for (const TaskId other : before[t]) followers[other].push_back(task);
    if (missing[t] == 0) ready.emplace(place[t], task);
  }
  choice.order.clear();
  while (!ready.empty()) {
    const TaskId task = ready.extract(ready.begin()).value().second;
    choice.order.push_back(task);
    for (const TaskId follower : followers[task]) {
      if (--missing[follower] == 0) ready.emplace(place[follower], follower);
    }
  }
}

PlacementChoice choice_of(const PlacedGraph& graph, const Schedule& schedule) {
  return Reading(graph, schedule).read();
}

}  // namespace stint
