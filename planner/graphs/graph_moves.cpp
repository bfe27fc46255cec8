#include "planner/graphs/graph_moves.hpp"

#include <algorithm>

#include "schedules/cost.hpp"

namespace stint {
namespace {

// The item that a task of the graph fetches; no_graph_item if it is another kind of task.
GraphItemId fetched(const DeviceGraph& graph, TaskId task) {
  if (task < graph.own_tasks || graph.tasks[task].writes.empty()) return no_graph_item;
  return graph.tasks[task].writes.front().item;
}

std::int64_t bytes_of(const Problem& problem, const DeviceGraph& graph, GraphItemId item) {
  return problem.graph().tensors[graph.items[item].tensor].bytes;
}

}  // namespace

std::optional<SlowPlace> place_for_moves(const Problem& problem, const DeviceGraph& graph) {
  if (!problem.request().offload) return std::nullopt;
  const auto& links = problem.platform().links;
  for (const SlowPlace& place : slow_places(problem, graph.memory)) {
    if (!links[place.out].blocking && !links[place.back].blocking) return place;
  }
  return std::nullopt;
}

DeviceGraph with_moves(const DeviceGraph& graph) {
  DeviceGraph moving = graph;
  moving.send.assign(graph.items.size(), no_task);
  moving.fetch.assign(graph.items.size(), no_task);
  for (std::size_t i = 0; i < graph.items.size(); ++i) {
    const GraphItem& item = graph.items[i];
    if (item.is_fixed || !item.is_alone) continue;
    GraphTask send;
    send.reads = {static_cast<GraphItemId>(i)};
    moving.send[i] = static_cast<TaskId>(moving.tasks.size());
    moving.tasks.push_back(std::move(send));
    GraphTask fetch;
    fetch.writes = {{static_cast<GraphItemId>(i), item.bytes}};
    moving.fetch[i] = static_cast<TaskId>(moving.tasks.size());
    moving.tasks.push_back(std::move(fetch));
  }
  return moving;
}

std::vector<double> with_moves(const Problem& problem, const DeviceGraph& moving,
                               const SlowPlace& place, const ChainAim& aim, double hidden,
                               std::vector<double> costs) {
  const bool pays_time = problem.request().bill == Bill::makespan;
  const double watts = pays_time ? always_on_watts(problem.platform()) : 0;
  const double second = (1 - hidden) * (aim.joules * watts + aim.seconds);
  costs.resize(moving.tasks.size(), 0);
  for (std::size_t i = 0; i < moving.items.size(); ++i) {
    const auto item = static_cast<GraphItemId>(i);
    if (!moving.moves(item)) continue;
    const std::int64_t bytes = bytes_of(problem, moving, item);
    const auto price = [&](const Link& link) {
      return aim.joules * copy_joules(link, bytes) + second * copy_seconds(link, bytes);
    };
    costs[moving.send[i]] = price(problem.platform().links[place.out]);
    costs[moving.fetch[i]] = price(problem.platform().links[place.back]);
  }
  return costs;
}

TaskSequence with_early_fetches(const Problem& problem, const DeviceGraph& moving,
                                const SlowPlace& place, TaskSequence sequence,
                                std::int64_t capacity_bytes) {
  SequenceMeter meter(moving, std::vector<double>(moving.tasks.size(), 0.0));
  meter.measure(sequence);
  std::vector<std::int64_t> live = meter.live_bytes();
  const auto& seconds = problem.seconds[moving.device];
  for (std::size_t step = 0; step < sequence.size(); ++step) {
    const GraphItemId item = fetched(moving, sequence[step]);
    if (item == no_graph_item) continue;
    const std::int64_t bytes = moving.items[item].bytes;
    double left =
        copy_seconds(problem.platform().links[place.back], bytes_of(problem, moving, item));
    std::size_t to = step;
    while (to > 0 && left > 0 && live[to - 1] + bytes <= capacity_bytes) {
      const TaskId before = sequence[to - 1];
      const auto& reads = moving.tasks[before].reads;
      const bool uses_it = std::find(reads.begin(), reads.end(), item) != reads.end();
      if (uses_it || fetched(moving, before) != no_graph_item) break;
      if (before < moving.own_tasks) left -= seconds[before];
      --to;
    }
    std::rotate(sequence.begin() + static_cast<std::ptrdiff_t>(to),
                sequence.begin() + static_cast<std::ptrdiff_t>(step),
                sequence.begin() + static_cast<std::ptrdiff_t>(step) + 1);
    meter.measure(sequence);
    live = meter.live_bytes();
  }
  return sequence;
}

}  // namespace stint
