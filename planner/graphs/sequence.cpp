#include "planner/graphs/sequence.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace stint {

SequenceMeter::SequenceMeter(const DeviceGraph& graph, std::vector<double> costs)
    : graph_(graph), costs_(std::move(costs)) {}

double SequenceMeter::cost_of_all() const {
  return std::accumulate(costs_.begin(), costs_.begin() + graph_.own_tasks, 0.0);
}

double SequenceMeter::cost(const TaskSequence& sequence) const {
  double sum = 0;
  for (const TaskId task : sequence) sum += costs_[task];
  return sum;
}

void SequenceMeter::add(int step, GraphItemId item, std::int64_t bytes) {
  now_[item] = static_cast<int>(instances_.size());
  instances_.push_back({item, step, step, bytes, false});
  optional_.push_back(false);
}

void SequenceMeter::read(int step, GraphItemId item) {
  if (now_[item] < 0) add(step, item, graph_.items[item].bytes);  // an input comes in
  ItemInstance& instance = instances_[now_[item]];
  instance.last = step;
  instance.is_read = true;
}

void SequenceMeter::write(int step, const GraphOutput& output, bool again) {
  const GraphItem& item = graph_.items[output.item];
  if (item.is_fixed && again) {  // there is one already: written elsewhere, for nobody
    if (!output.is_optional) live_[step] += output.bytes;
    return;
  }
  if (item.is_fixed && now_[output.item] >= 0) {
    instances_[now_[output.item]].last = step;
    return;
  }
  const int from = output.in_place == no_graph_item ? -1 : now_[output.in_place];
  add(step, output.item, item.bytes);
  optional_.back() = output.is_optional;
  if (from >= 0) in_place_.push_back({step, from, now_[output.item]});
}

std::vector<std::int64_t> SequenceMeter::released_bytes() const {
  std::vector<std::int64_t> change(live_.size() + 1, 0);  // of what goes beyond the step
  for (const ItemInstance& instance : instances_) {
    change[instance.begin] += instance.bytes;
    change[instance.last] -= instance.bytes;
  }
  std::vector<std::int64_t> released = live_;
  std::int64_t stays = 0;
  for (std::size_t step = 0; step < released.size(); ++step) {
    stays += change[step];
    released[step] -= stays;
  }
  return released;
}

SequenceMeasure SequenceMeter::measure(const TaskSequence& sequence) {
  const int steps = static_cast<int>(sequence.size());
  instances_.clear();
  optional_.clear();
  in_place_.clear();
  now_.assign(graph_.items.size(), -1);
  ran_.assign(graph_.tasks.size(), false);
  live_.assign(steps + 2, 0);
  SequenceMeasure measure;
  std::size_t position = 0;
  for (int step = 0; step < steps; ++step) {
    const TaskId id = sequence[step];
    const GraphTask& task = graph_.tasks[id];
    for (const GraphItemId item : task.reads) read(step, item);
    for (const GraphOutput& output : task.writes) write(step, output, ran_[id]);
    live_[step] += task.workspace_bytes;
    if (position < reserved_.size()) live_[step] += reserved_[position];
    if (!ran_[id] && id < graph_.own_tasks) ++position;
    ran_[id] = true;
    measure.cost += costs_[id];
  }
  for (std::size_t i = 0; i < graph_.items.size(); ++i) {
    if (!graph_.items[i].is_result || now_[i] < 0) continue;
    instances_[now_[i]].last = steps;
    instances_[now_[i]].is_read = true;
  }
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    if (optional_[i] && !instances_[i].is_read) instances_[i].bytes = 0;
  }
  for (const InPlace& pair : in_place_) {
    if (instances_[pair.from].last == pair.step) live_[pair.step] -= instances_[pair.to].bytes;
  }
  // What lives only while a task runs is in live_ already; now what lasts, by its changes.
  change_.assign(steps + 2, 0);
  for (const ItemInstance& instance : instances_) {
    change_[instance.begin] += instance.bytes;
    change_[instance.last + 1] -= instance.bytes;
  }
  std::int64_t lasting = 0;
  for (int step = 0; step <= steps; ++step) {
    lasting += change_[step];
    live_[step] += lasting;
    if (live_[step] <= measure.peak_bytes) continue;
    measure.peak_bytes = live_[step];
    measure.peak_step = step;
  }
  return measure;
}

TaskSequence without_needless_runs(const DeviceGraph& graph, const TaskSequence& sequence) {
  std::vector<char> is_first(sequence.size(), 0);
  std::vector<char> ran(graph.tasks.size(), 0);
  for (std::size_t step = 0; step < sequence.size(); ++step)
    is_first[step] = !std::exchange(ran[sequence[step]], 1);
  std::vector<char> wanted(graph.items.size(), 0);  // by somebody later
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = graph.items[i].is_result;
  TaskSequence needed;
  for (std::size_t step = sequence.size(); step-- > 0;) {
    const GraphTask& task = graph.tasks[sequence[step]];
    bool is_needed = is_first[step];
    for (const GraphOutput& output : task.writes)
      is_needed = is_needed || (wanted[output.item] && !graph.items[output.item].is_fixed);
    is_needed = is_needed || task.writes.empty();
    if (!is_needed) continue;
    needed.push_back(sequence[step]);
    for (const GraphOutput& output : task.writes) wanted[output.item] = 0;
    for (const GraphItemId read : task.reads) wanted[read] = 1;
  }
  std::reverse(needed.begin(), needed.end());
  return needed;
}

}  // namespace stint
