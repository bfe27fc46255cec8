#include "planner/graphs/sequence.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace stint {

SequenceMeter::SequenceMeter(const DeviceGraph& graph, std::vector<double> costs)
    : graph_(graph), flat_(graph), costs_(std::move(costs)) {}

double SequenceMeter::cost_of_all() const {
  return std::accumulate(costs_.begin(), costs_.begin() + graph_.own_tasks, 0.0);
}

double SequenceMeter::cost(const TaskSequence& sequence) const {
  double sum = 0;
  for (const TaskId task : sequence) sum += costs_[task];
  return sum;
}

void SequenceMeter::add(int step, GraphItemId item, std::int64_t bytes, bool is_optional) {
  now_[item] = static_cast<int>(instances_.size());
  instances_.push_back({item, step, step, bytes, false, is_optional});
}

void SequenceMeter::read(int step, GraphItemId item) {
  if (now_[item] < 0) add(step, item, graph_.items[item].bytes, false);  // an input comes in
  ItemInstance& instance = instances_[now_[item]];
  instance.last = step;
  instance.is_read = true;
}

void SequenceMeter::write(int step, const FlatOutput& output, bool again) {
  if (output.is_fixed && again) {  // there is one already: written elsewhere, for nobody
    if (!output.is_optional) live_[step] += output.bytes;
    return;
  }
  if (output.is_fixed && now_[output.item] >= 0) {
    instances_[now_[output.item]].last = step;
    return;
  }
  const int from = output.in_place == no_graph_item ? -1 : now_[output.in_place];
  add(step, output.item, output.item_bytes, output.is_optional);
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
  in_place_.clear();
  now_.assign(graph_.items.size(), -1);
  ran_.assign(graph_.tasks.size(), 0);
  live_.assign(steps + 2, 0);
  SequenceMeasure measure;
  std::size_t position = 0;
  for (int step = 0; step < steps; ++step) {
    const TaskId id = sequence[step];
    for (const GraphItemId item : flat_.reads(id)) read(step, item);
    for (const FlatOutput& output : flat_.writes(id)) write(step, output, ran_[id]);
    live_[step] += flat_.workspace_bytes(id);
    if (position < reserved_.size()) live_[step] += reserved_[position];
    if (!ran_[id] && id < graph_.own_tasks) ++position;
    ran_[id] = 1;
    measure.cost += costs_[id];
  }
  for (std::size_t i = 0; i < now_.size(); ++i) {
    if (!flat_.results()[i] || now_[i] < 0) continue;
    instances_[now_[i]].last = steps;
    instances_[now_[i]].is_read = true;
  }
  for (ItemInstance& instance : instances_) {
    if (instance.is_optional && !instance.is_read) instance.bytes = 0;
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

TaskSequence without_needless_runs(const DeviceGraph& graph, TaskSequence sequence) {
  RunNeeds needs;
  leave_out_needless_runs(FlatGraph(graph), needs, sequence);
  return sequence;
}

}  // namespace stint
