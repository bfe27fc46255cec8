#include "planner/graphs/graph_moves.hpp"

#include <algorithm>

#include "schedules/cost.hpp"

namespace stint {
namespace {

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
    // What was fetched from elsewhere is there still.
    if (item.is_fixed || !item.is_alone || graph.is_copy(item.writers.front())) continue;
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

std::vector<double> with_copies(const Problem& problem, const DeviceGraph& moving,
                                const SlowPlace& place, const ChainAim& aim, double hidden,
                                std::vector<double> costs) {
  const bool pays_time = problem.request().bill == Bill::makespan;
  const double watts = pays_time ? always_on_watts(problem.platform()) : 0;
  const double second = (1 - hidden) * (aim.joules * watts + aim.seconds);
  for (auto t = static_cast<TaskId>(costs.size()); t < std::ssize(moving.tasks);
       t = static_cast<TaskId>(t + 1)) {
    const Link& link = problem.platform().links[moving.is_fetch(t) ? place.back : place.out];
    const std::int64_t bytes = bytes_of(problem, moving, moving.copied(t));
    costs.push_back(aim.joules * copy_joules(link, bytes) + second * copy_seconds(link, bytes));
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
    if (!moving.is_fetch(sequence[step])) continue;
    const GraphItemId item = moving.copied(sequence[step]);
    const std::int64_t bytes = moving.items[item].bytes;
    double left =
        copy_seconds(problem.platform().links[place.back], bytes_of(problem, moving, item));
    std::size_t to = step;
    while (to > 0 && left > 0 && live[to - 1] + bytes <= capacity_bytes) {
      const TaskId before = sequence[to - 1];
      const auto& reads = moving.tasks[before].reads;
      const bool uses_it = std::find(reads.begin(), reads.end(), item) != reads.end();
      if (uses_it || moving.is_fetch(before)) break;
      if (!moving.is_copy(before)) left -= seconds[before];
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
