// Time in the relaxed placement: when first executions end, and how long the step is.
#include <cmath>
#include <span>

#include "planner/placement/relaxed_placement.hpp"

namespace stint {
namespace {

// Of what a device's workers could do, less what they do: times are whole units, rounded down,
// which takes less than a unit from each worker.
std::int64_t least_rest(const Device& device) { return 1 - device.workers; }

}  // namespace

LinearSum RelaxedPlacement::duration(TaskId task, std::int64_t factor) const {
  LinearSum sum;
  for (std::size_t w = 0; w < ways_[task].size(); ++w)
    sum.add(ways_[task][w], factor * units_.seconds_down(graph_.ways[task][w].seconds));
  return sum;
}

void RelaxedPlacement::add_times() {
  for (std::size_t t = 0; t < graph_.tasks(); ++t) {
    const auto task = static_cast<TaskId>(t);
    const std::int64_t latest = task == scope_.first ? 0 : units_.horizon;
    ends_.push_back(has(task) ? model_.add_variable(0, latest) : no_variable);
  }
  std::vector<char> has_later(graph_.tasks(), 0);
  for (std::size_t t = 0; t < graph_.tasks(); ++t) {
    if (!has(static_cast<TaskId>(t)) || static_cast<TaskId>(t) == scope_.first) continue;
    LinearSum alone = duration(static_cast<TaskId>(t), -1);
    alone.add(ends_[t], 1);
    model_.add_linear(alone, 0, units_.horizon);
    for (const TaskId before : graph_.problem->needs[t]) {
      if (!has(before)) continue;
      has_later[before] = 1;
      LinearSum after = duration(static_cast<TaskId>(t), -1);
      after.add(ends_[t], 1);
      after.add(ends_[before], -1);
      model_.add_linear(after, 0, units_.horizon);
    }
    if (memories_.size() < 2) continue;
    for (const GraphItemId item : graph_.flat.tasks[t].reads)
      add_edge(item, static_cast<TaskId>(t));
  }
  for (std::size_t t = 0; t < graph_.tasks(); ++t) {
    if (!has(static_cast<TaskId>(t)) || has_later[t]) continue;
    LinearSum until;
    until.add(length_, 1);
    until.add(ends_[t], -1);
    model_.add_linear(until, 0, units_.horizon);
  }
}

// The copy takes its time where the reader is in another memory, and the writer not repeated there.
void RelaxedPlacement::add_edge(GraphItemId item, TaskId reader) {
  const GraphItem& it = graph_.flat.items[item];
  if (!graph_.is_whole[item] || !has_source(item)) return;
  const std::int64_t bytes = graph_.problem->graph().tensors[it.tensor].bytes;
  for (const MemoryId memory : memories_) {
    if (in_[reader][memory] == no_variable) continue;
    const TransferPrice price = prices_.into(memory, memories_, bytes);
    const std::int64_t seconds = units_.seconds_down(price.seconds);
    if (!std::isfinite(price.joules) || seconds == 0) continue;
    LinearSum after = duration(reader, -1);
    after.add(ends_[reader], 1);
    after.add(in_[reader][memory], -seconds);
    if (home(item, memory) != no_variable) after.add(home(item, memory), seconds);
    if (!it.writers.empty()) {
      const TaskId writer = it.writers.front();
      after.add(ends_[writer], -1);
      if (repeated_[writer][memory] != no_variable) after.add(repeated_[writer][memory], seconds);
    }
    model_.add_linear(after, 0, 2 * units_.horizon + 2 * seconds);
    if (memories_.size() > 2) add_way_between(item, reader, memory);
  }
}

// Of several memories some are further away. A writer that is repeated anywhere may be nearer.
void RelaxedPlacement::add_way_between(GraphItemId item, TaskId reader, MemoryId memory) {
  const GraphItem& it = graph_.flat.items[item];
  if (it.writers.empty()) return;
  const TaskId writer = it.writers.front();
  const std::int64_t bytes = graph_.problem->graph().tensors[it.tensor].bytes;
  LinearSum after = duration(reader, -1);
  after.add(ends_[reader], 1);
  after.add(ends_[writer], -1);
  std::int64_t most = 0;
  for (const MemoryId from : memories_) {
    const double seconds = prices_.between(from, memory, bytes).seconds;
    if (from == memory || in_[writer][from] == no_variable || !std::isfinite(seconds)) continue;
    after.add(in_[writer][from], -units_.seconds_down(seconds));
    most = std::max(most, units_.seconds_down(seconds));
  }
  after.add(in_[reader][memory], -most);
  for (const MemoryId there : memories_) {
    if (repeated_[writer][there] != no_variable) after.add(repeated_[writer][there], most);
  }
  model_.add_linear(after, -most, 2 * units_.horizon + 4 * most);
}

void RelaxedPlacement::add_work_between(TaskId first, TaskId then,
                                        const std::vector<TaskId>& between) {
  const auto& devices = graph_.problem->platform().devices;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    LinearSum rest = then == no_task ? LinearSum{} : duration(then, -devices[d].workers);
    rest.add(then == no_task ? length_ : ends_[then], devices[d].workers);
    if (first != no_task) rest.add(ends_[first], -devices[d].workers);
    for (const TaskId task : between) {
      for (std::size_t w = 0; w < ways_[task].size(); ++w) {
        const PlacedWay& way = graph_.ways[task][w];
        if (way.device == static_cast<int>(d))
          rest.add(ways_[task][w], -units_.seconds_down(way.seconds));
      }
    }
    model_.add_linear(rest, least_rest(devices[d]), units_.horizon * devices[d].workers);
  }
}

void RelaxedPlacement::add_turns() {
  const auto& devices = graph_.problem->platform().devices;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    std::vector<IntervalId> turns;
    for (std::size_t t = 0; t < graph_.tasks(); ++t) {
      for (std::size_t w = 0; w < ways_[t].size(); ++w) {
        const PlacedWay& way = graph_.ways[t][w];
        if (way.device != static_cast<int>(d) || static_cast<TaskId>(t) == scope_.first) continue;
        const std::int64_t seconds = units_.seconds_down(way.seconds);
        LinearSum start(ends_[t]);
        start.constant = -seconds;
        turns.push_back(model_.add_interval(start, seconds, ends_[t], std::span(&ways_[t][w], 1)));
      }
    }
    const std::vector<LinearSum> one_each(turns.size(), LinearSum(1));
    model_.add_cumulative(turns, one_each, devices[d].workers);
  }
}

// A boolean that is true only if the one ends before the other begins.
VariableId RelaxedPlacement::add_order(TaskId first, TaskId then, std::int64_t most_overlap) {
  const VariableId is_so = model_.add_boolean();
  LinearSum apart = duration(then, -1);
  apart.add(ends_[then], 1);
  apart.add(ends_[first], -1);
  apart.add(is_so, -most_overlap);
  model_.add_linear(apart, -most_overlap, units_.horizon);
  return is_so;
}

void RelaxedPlacement::add_turns_of(TaskId a, TaskId b, std::int64_t most_overlap,
                                    std::int64_t most_reverse) {
  const VariableId a_first = add_order(a, b, most_overlap);
  const VariableId b_first = add_order(b, a, most_reverse);
  const auto& devices = graph_.problem->platform().devices;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    if (devices[d].workers != 1) continue;
    LinearSum either(a_first);
    either.add(b_first, 1);
    for (const TaskId task : {a, b}) {
      for (std::size_t w = 0; w < ways_[task].size(); ++w) {
        if (graph_.ways[task][w].device == static_cast<int>(d)) either.add(ways_[task][w], -1);
      }
    }
    model_.add_linear(either, -1, 2);
  }
}

LinearSum RelaxedPlacement::cost_between(TaskId first, TaskId then,
                                         const std::vector<TaskId>& between,
                                         std::int64_t per_second_unit) const {
  LinearSum sum = duration(then, -per_second_unit);
  sum.add(ends_[then], per_second_unit);
  sum.add(ends_[first], -per_second_unit);
  const auto add_outputs = [&](TaskId task) {
    for (const MemoryId memory : memories_) {
      if (repeated_[task][memory] != no_variable)
        sum.add(repeated_[task][memory], units_.joules_down(least_way(task, memory).joules));
      for (const GraphOutput& output : graph_.flat.tasks[task].writes) {
        const VariableId copied = copied_[output.item][memory];
        const double joules = copy_joules_into(output.item, memory);
        if (copied != no_variable && graph_.is_whole[output.item] && std::isfinite(joules))
          sum.add(copied, units_.joules_down(joules));
      }
    }
  };
  add_outputs(first);
  for (const TaskId task : between) {
    add_outputs(task);
    for (std::size_t w = 0; w < ways_[task].size(); ++w)
      sum.add(ways_[task][w], units_.joules_down(graph_.ways[task][w].joules));
  }
  return sum;
}

// The step is no shorter than the work of a device, shared by its workers, and what links to and
// from a memory carry.
void RelaxedPlacement::add_lengths() {
  const auto& devices = graph_.problem->platform().devices;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    LinearSum rest;
    for (const auto& [variable, seconds] : work_[d].terms) rest.add(variable, -seconds);
    rest.add(length_, devices[d].workers);
    model_.add_linear(rest, least_rest(devices[d]), units_.horizon * devices[d].workers);
  }
  for (const auto* const carried : {&arrivals_, &departures_}) {
    for (const LinearSum& seconds : *carried) {
      if (seconds.terms.empty()) continue;
      LinearSum rest(length_);
      for (const auto& [variable, units] : seconds.terms) rest.add(variable, -units);
      model_.add_linear(rest, 0, units_.horizon);
    }
  }
}

}  // namespace stint
