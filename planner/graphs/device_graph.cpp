#include "planner/graphs/device_graph.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "planner/optional_output.hpp"
#include "planner/pieces.hpp"

namespace stint {
namespace {

class Flattening {
 public:
  Flattening(const Problem& problem, DeviceId device)
      : problem_(problem),
        graph_(problem.graph()),
        memory_(problem.platform().memories[problem.platform().devices[device].memory]) {
    flat_.device = device;
    flat_.memory = problem.platform().devices[device].memory;
  }

  std::optional<DeviceGraph> flatten() {
    find_items();
    for (std::size_t t = 0; t < graph_.tasks.size(); ++t) add_task(static_cast<TaskId>(t));
    flat_.problem_tasks = flat_.own_tasks = static_cast<int>(flat_.tasks.size());
    for (GraphItem& item : flat_.items) fix(item);
    find_last_versions();
    std::int64_t total = flat_.state_bytes;
    for (const GraphItem& item : flat_.items) total = capped_sum(total, item.bytes);
    for (const GraphTask& task : flat_.tasks) total = capped_sum(total, task.workspace_bytes);
    if (total >= huge_bytes) return std::nullopt;
    const std::int64_t capacity = std::min(problem_.capacity_bytes[flat_.memory], huge_bytes);
    flat_.capacity_bytes = capacity - flat_.state_bytes;
    return std::move(flat_);
  }

 private:
  bool is_state(TensorId tensor) const { return graph_.tensors[tensor].kind == Kind::state; }
  static void append(const std::vector<TensorId>& more, std::vector<TensorId>& all) {
    all.insert(all.end(), more.begin(), more.end());
  }

  void find_items() {
    std::vector<TensorId> used = graph_.results;
    for (const Task& task : graph_.tasks)
      append(task.reads, used), append(task.writes, used), append(task.updates, used);
    flat_.item_of.assign(graph_.tensors.size(), no_graph_item);
    std::map<TensorId, GraphItemId> item_of_cover;
    for (const auto& [tensor, cover] : covers(problem_, used)) {
      const auto next = static_cast<GraphItemId>(flat_.items.size());
      const auto [known, is_new] =
          item_of_cover.try_emplace(cover, is_state(cover) ? no_graph_item : next);
      if (is_new) add_item(cover);
      flat_.item_of[tensor] = known->second;
      if (known->second != no_graph_item && tensor != cover)
        flat_.items[known->second].is_alone = false;
    }
    for (const TensorId result : graph_.results) {
      if (!is_state(result)) flat_.items[flat_.item_of[result]].is_result = true;
    }
  }

  void add_item(TensorId cover) {
    const std::int64_t bytes = aligned(graph_.tensors[cover].bytes, memory_);
    if (is_state(cover)) {
      flat_.state_bytes = capped_sum(flat_.state_bytes, bytes);
      return;
    }
    GraphItem item;
    item.tensor = cover;
    item.bytes = bytes;
    flat_.items.push_back(item);
  }

  void add_task(TaskId id) {
    const Task& task = graph_.tasks[id];
    GraphTask flat;
    for (const TensorId tensor : task.reads) {
      if (flat_.item_of[tensor] != no_graph_item) flat.reads.push_back(flat_.item_of[tensor]);
    }
    std::sort(flat.reads.begin(), flat.reads.end());
    flat.reads.erase(std::unique(flat.reads.begin(), flat.reads.end()), flat.reads.end());
    for (const TensorId tensor : task.writes) {
      flat.writes.push_back(output(task, tensor));
      flat_.items[flat_.item_of[tensor]].writers.push_back(id);
    }
    flat.workspace_bytes = aligned(task.workspace_bytes, memory_);
    flat.runs_once = !task.updates.empty();
    flat_.tasks.push_back(std::move(flat));
  }

  // Outputs take the place of inputs of the same size only: what is left of a larger one could not
  // be used by others.
  GraphOutput output(const Task& task, TensorId tensor) const {
    GraphOutput out;
    out.item = flat_.item_of[tensor];
    out.bytes = aligned(graph_.tensors[tensor].bytes, memory_);
    out.is_optional = is_optional(task, tensor);
    for (const auto& [y, x] : task.may_overwrite) {
      if (y != tensor || flat_.item_of[x] == no_graph_item || out.bytes == 0) continue;
      const GraphItem& place = flat_.items[flat_.item_of[x]];
      const bool fits = graph_.tensors[y].bytes <= graph_.tensors[x].bytes;
      if (fits) out.at_most_in = flat_.item_of[x];
      if (fits && place.bytes == out.bytes && place.is_alone && flat_.items[out.item].is_alone)
        out.in_place = flat_.item_of[x];
    }
    return out;
  }

  void fix(GraphItem& item) const {
    item.is_fixed =
        item.writers.size() != 1 || item.bytes == 0 || flat_.tasks[item.writers.front()].runs_once;
  }

  // By segment of state: the tasks that update it, ascending.
  std::vector<std::vector<TaskId>> updaters() const {
    std::vector<std::vector<TaskId>> all(problem_.segments.count());
    for (std::size_t t = 0; t < graph_.tasks.size(); ++t) {
      for (const TensorId tensor : graph_.tasks[t].updates) {
        const SegmentRange range = problem_.segments.of_tensor[tensor];
        for (int s = range.begin; s < range.end; ++s) all[s].push_back(static_cast<TaskId>(t));
      }
    }
    return all;
  }

  void find_last_versions() {
    const auto all = updaters();
    for (std::size_t t = 0; t < graph_.tasks.size(); ++t) {
      std::vector<TaskId>& ends_with = flat_.tasks[t].ends_with;
      for (const TensorId tensor : graph_.tasks[t].reads) {
        const SegmentRange range = problem_.segments.of_tensor[tensor];
        for (int s = range.begin; s < range.end; ++s) {
          const auto next = std::upper_bound(all[s].begin(), all[s].end(), static_cast<TaskId>(t));
          if (next != all[s].end()) ends_with.push_back(*next);
        }
      }
      std::sort(ends_with.begin(), ends_with.end());
      ends_with.erase(std::unique(ends_with.begin(), ends_with.end()), ends_with.end());
    }
  }

  const Problem& problem_;
  const Graph& graph_;
  const Memory& memory_;
  DeviceGraph flat_;
};

}  // namespace

DeviceGraph without_reruns(DeviceGraph graph) {
  for (GraphTask& task : graph.tasks) task.runs_once = true;
  for (GraphItem& item : graph.items) item.is_fixed = true;
  return graph;
}

std::optional<DeviceGraph> device_graph(const Problem& problem, DeviceId device) {
  const auto& seconds = problem.seconds[device];
  const bool runs_all =
      std::all_of(seconds.begin(), seconds.end(), [](double s) { return std::isfinite(s); });
  return runs_all ? graph_in_memory_of(problem, device) : std::nullopt;
}

std::optional<DeviceGraph> graph_in_memory_of(const Problem& problem, DeviceId device) {
  return Flattening(problem, device).flatten();
}

}  // namespace stint
