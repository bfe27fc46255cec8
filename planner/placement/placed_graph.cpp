#include "planner/placement/placed_graph.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "planner/pieces.hpp"
#include "planner/routes.hpp"
#include "schedules/cost.hpp"

namespace stint {
namespace {

class Building {
 public:
  explicit Building(const Problem& problem)
      : problem_(problem), graph_(problem.graph()), platform_(problem.platform()) {}

  std::optional<PlacedGraph> build() {
    auto flat = graph_in_memory_of(problem_, DeviceId{0});
    if (!flat) return std::nullopt;
    placed_.problem = &problem_;
    placed_.flat = std::move(*flat);
    find_states();
    find_bytes();
    find_readers();
    find_ways();
    tie();
    find_routes();
    if (!all_tied_have_a_memory()) return std::nullopt;
    return std::move(placed_);
  }

 private:
  std::vector<std::int64_t> in_memories(std::int64_t bytes) const {
    std::vector<std::int64_t> all;
    for (const Memory& memory : platform_.memories) all.push_back(aligned(bytes, memory));
    return all;
  }
  bool is_state(TensorId tensor) const { return graph_.tensors[tensor].kind == Kind::state; }

  void find_states() {
    std::vector<TensorId> used;
    const auto note = [&](const std::vector<TensorId>& list) {
      std::copy_if(list.begin(), list.end(), std::back_inserter(used),
                   [&](TensorId tensor) { return is_state(tensor); });
    };
    for (const Task& task : graph_.tasks) note(task.reads), note(task.updates);
    note(graph_.results);
    placed_.state_of.assign(graph_.tensors.size(), -1);
    std::map<TensorId, int> units;
    for (const auto& [tensor, cover] : covers(problem_, used)) {
      const auto [unit, is_new] = units.try_emplace(cover, static_cast<int>(placed_.states.size()));
      if (is_new) placed_.states.push_back({cover, in_memories(graph_.tensors[cover].bytes), {}});
      placed_.state_of[tensor] = unit->second;
    }
    for (const TensorId result : graph_.results) {
      if (is_state(result)) placed_.states[placed_.state_of[result]].is_result = true;
    }
    for (std::size_t t = 0; t < graph_.tasks.size(); ++t) {
      placed_.reads_state.push_back(units_of(graph_.tasks[t].reads));
      placed_.updates_state.push_back(units_of(graph_.tasks[t].updates));
      for (const int unit : placed_.updates_state.back())
        placed_.states[unit].updaters.push_back(static_cast<TaskId>(t));
    }
  }

  std::vector<int> units_of(const std::vector<TensorId>& tensors) const {
    std::vector<int> units;
    for (const TensorId tensor : tensors) {
      if (is_state(tensor)) units.push_back(placed_.state_of[tensor]);
    }
    std::sort(units.begin(), units.end());
    units.erase(std::unique(units.begin(), units.end()), units.end());
    return units;
  }

  void find_bytes() {
    for (const GraphItem& item : placed_.flat.items)
      placed_.bytes.push_back(in_memories(graph_.tensors[item.tensor].bytes));
    for (const Task& task : graph_.tasks)
      placed_.workspace.push_back(in_memories(task.workspace_bytes));
  }

  void find_readers() {
    placed_.readers.resize(placed_.flat.items.size());
    for (std::size_t t = 0; t < graph_.tasks.size(); ++t) {
      for (const GraphItemId item : placed_.flat.tasks[t].reads)
        placed_.readers[item].push_back(static_cast<TaskId>(t));
    }
    for (const GraphItem& item : placed_.flat.items)
      placed_.is_whole.push_back(item.writers.size() < 2);
    for (const Task& task : graph_.tasks) {
      for (const TensorId tensor : task.reads) note_part(tensor);
      for (const TensorId tensor : task.writes) note_part(tensor);
    }
  }

  void note_part(TensorId tensor) {
    const GraphItemId item = placed_.flat.item_of[tensor];
    if (item == no_graph_item) return;
    const TensorId whole = placed_.flat.items[item].tensor;
    if (graph_.tensors[tensor].bytes != graph_.tensors[whole].bytes) placed_.is_whole[item] = 0;
  }

  void find_ways() {
    placed_.ways.resize(graph_.tasks.size());
    for (std::size_t t = 0; t < graph_.tasks.size(); ++t) {
      for (std::size_t d = 0; d < platform_.devices.size(); ++d) add_ways(t, d);
    }
  }
  void add_ways(std::size_t t, std::size_t d) {
    if (!std::isfinite(problem_.seconds[d][t])) return;
    const Device& device = platform_.devices[d];
    for (int s = 0; s < choosable_states(device); ++s) {
      const double seconds = problem_.seconds[d][t] / device.states[s].speed;
      const double watts =
          busy_watts(graph_.tasks[t], device.states[s]) + device.active_watts / device.workers;
      placed_.ways[t].push_back({static_cast<DeviceId>(d), s, seconds, watts * seconds});
    }
  }

  void tie() {
    std::vector<int> parent(graph_.tasks.size());
    std::iota(parent.begin(), parent.end(), 0);
    const auto root = [&](int task) {
      while (parent[task] != task) task = parent[task] = parent[parent[task]];
      return task;
    };
    const auto join = [&](const std::vector<TaskId>& tasks) {
      for (const TaskId task : tasks) parent[root(task)] = root(tasks.front());
    };
    for (const PlacedState& state : placed_.states) join(state.updaters);
    for (const GraphItem& item : placed_.flat.items) join(item.writers);
    std::map<int, std::vector<TaskId>> groups;
    for (std::size_t t = 0; t < parent.size(); ++t)
      groups[root(static_cast<int>(t))].push_back(static_cast<TaskId>(t));
    for (std::size_t t = 0; t < parent.size(); ++t)
      placed_.tied.push_back(groups[root(static_cast<int>(t))]);
  }

  bool all_tied_have_a_memory() const {
    for (const auto& group : placed_.tied) {
      bool any = false;
      for (std::size_t m = 0; m < platform_.memories.size() && !any; ++m) {
        any = std::all_of(group.begin(), group.end(), [&](TaskId task) {
          return placed_.first_way(task, static_cast<MemoryId>(m)) != nullptr;
        });
      }
      if (!any) return false;
    }
    return true;
  }

  void find_routes() {
    double bytes = 0;
    for (const GraphItem& item : placed_.flat.items)
      bytes += static_cast<double>(graph_.tensors[item.tensor].bytes);
    const auto count = static_cast<double>(std::max<std::size_t>(1, placed_.flat.items.size()));
    Routes routes(platform_, static_cast<std::int64_t>(bytes / count));
    const std::size_t memories = platform_.memories.size();
    placed_.routes.resize(memories);
    placed_.away.assign(memories, no_memory);
    for (std::size_t from = 0; from < memories; ++from) {
      for (std::size_t to = 0; to < memories; ++to)
        placed_.routes[from].push_back(
            routes.route(static_cast<MemoryId>(from), static_cast<MemoryId>(to)));
    }
    for (std::size_t from = 0; from < memories; ++from) find_away(static_cast<MemoryId>(from));
  }

  // The neighbour from which things are back soonest.
  void find_away(MemoryId from) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t m = 0; m < placed_.routes.size(); ++m) {
      const auto& out = placed_.routes[from][m];
      const auto& back = placed_.routes[m][from];
      if (out.size() != 1 || back.size() != 1) continue;
      const double per_byte = 1 / platform_.links[out.front()].bytes_per_second +
                              1 / platform_.links[back.front()].bytes_per_second;
      if (per_byte < least) least = per_byte, placed_.away[from] = static_cast<MemoryId>(m);
    }
  }

  const Problem& problem_;
  const Graph& graph_;
  const Platform& platform_;
  PlacedGraph placed_;
};

}  // namespace

const PlacedWay* PlacedGraph::first_way(TaskId task, MemoryId memory) const {
  for (const PlacedWay& way : ways[task]) {
    if (memory_of(way.device) == memory) return &way;
  }
  return nullptr;
}

bool has_own_states(const Device& device) {
  return device.settable == Settable::action &&
         (device.state_scope == StateScope::worker || device.workers == 1);
}

std::optional<PlacedGraph> placed_graph(const Problem& problem) {
  return Building(problem).build();
}

}  // namespace stint
