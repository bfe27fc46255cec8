#include "planner/placement/relaxed_placement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stint {
namespace {

constexpr double downwards = 1 - 1e-12;  // sums of doubles err in their last bits
constexpr double most = 1e13;

}  // namespace

std::int64_t RelaxedUnits::seconds_down(double value) const {
  return static_cast<std::int64_t>(std::min(value / seconds * downwards, most));
}
std::int64_t RelaxedUnits::joules_down(double value) const {
  return static_cast<std::int64_t>(std::min(value / joules * downwards, most));
}

RelaxedPlacement::RelaxedPlacement(const PlacedGraph& graph, const RelaxedUnits& units,
                                   RelaxedScope scope)
    : graph_(graph),
      units_(units),
      scope_(std::move(scope)),
      prices_(graph.problem->platform()),
      work_(graph.problem->platform().devices.size()) {
  for (const Device& device : graph.problem->platform().devices) {
    if (std::find(memories_.begin(), memories_.end(), device.memory) == memories_.end())
      memories_.push_back(device.memory);
  }
}

void RelaxedPlacement::build() {
  const std::size_t memories = graph_.problem->platform().memories.size();
  const std::vector<VariableId> none(memories, no_variable);
  in_.assign(graph_.tasks(), none);
  repeated_.assign(graph_.tasks(), none);
  copied_.assign(graph_.flat.items.size(), none);
  home_.assign(graph_.flat.items.size(), none);
  length_ = model_.add_variable(0, units_.horizon);
  add_places();
  add_device_states();
  add_copies();
  add_state_copies();
  add_times();
}

RelaxedPlacement::Least RelaxedPlacement::least_way(TaskId task, MemoryId memory) const {
  constexpr double never = std::numeric_limits<double>::infinity();
  Least least{never, never};
  for (const PlacedWay& way : graph_.ways[task]) {
    if (graph_.memory_of(way.device) != memory) continue;
    least = {std::min(least.joules, way.joules), std::min(least.seconds, way.seconds)};
  }
  return least;
}

bool RelaxedPlacement::may_repeat(TaskId task) const {
  return graph_.problem->request().recompute && !graph_.flat.tasks[task].runs_once;
}

void RelaxedPlacement::add_places() {
  for (std::size_t t = 0; t < graph_.tasks(); ++t) {
    auto& ways = ways_.emplace_back();
    if (!has(static_cast<TaskId>(t))) continue;
    LinearSum one;
    for (const MemoryId memory : memories_) {
      if (graph_.first_way(static_cast<TaskId>(t), memory) == nullptr) continue;
      in_[t][memory] = model_.add_boolean();
      one.add(in_[t][memory], 1);
    }
    model_.add_linear(one, 1, 1);
    std::vector<LinearSum> there(graph_.problem->platform().memories.size());
    for (const PlacedWay& way : graph_.ways[t]) {
      const MemoryId memory = graph_.memory_of(way.device);
      ways.push_back(model_.add_boolean());
      there[memory].add(ways.back(), 1);
      joules_.add(ways.back(), units_.joules_down(way.joules));
      work_[way.device].add(ways.back(), units_.seconds_down(way.seconds));
    }
    for (const MemoryId memory : memories_) {
      if (in_[t][memory] == no_variable) continue;
      there[memory].add(in_[t][memory], -1);
      model_.add_linear(there[memory], 0, 0);
    }
  }
}

// One state for all tasks of a device, where that is all that can be set.
void RelaxedPlacement::add_device_states() {
  const auto& devices = graph_.problem->platform().devices;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    const int states = choosable_states(devices[d]);
    const bool one_state =
        devices[d].settable == Settable::run &&
        (devices[d].state_scope == StateScope::device || devices[d].workers == 1);
    if (states < 2 || !one_state) continue;
    std::vector<VariableId> chosen;
    LinearSum one;
    for (int s = 0; s < states; ++s) {
      chosen.push_back(model_.add_boolean());
      one.add(chosen.back(), 1);
    }
    model_.add_linear(one, 1, 1);
    for (std::size_t t = 0; t < graph_.tasks(); ++t) {
      for (std::size_t w = 0; w < ways_[t].size(); ++w) {
        const PlacedWay& way = graph_.ways[t][w];
        if (way.device == static_cast<int>(d))
          model_.add_clause({no(ways_[t][w]), chosen[way.state]});
      }
    }
  }
}

// Whether it is written by a task of these, or, where these are all, comes in.
bool RelaxedPlacement::has_source(GraphItemId item) const {
  const auto& writers = graph_.flat.items[item].writers;
  return writers.empty() ? scope_.is_in.empty() : has(writers.front());
}

double RelaxedPlacement::copy_joules_into(GraphItemId item, MemoryId memory) const {
  const TensorId tensor = graph_.flat.items[item].tensor;
  return prices_.into(memory, memories_, graph_.problem->graph().tensors[tensor].bytes).joules;
}

VariableId RelaxedPlacement::home(GraphItemId item, MemoryId memory) const {
  const auto& writers = graph_.flat.items[item].writers;
  return writers.empty() ? home_[item][memory] : in_[writers.front()][memory];
}

void RelaxedPlacement::add_at_least(const std::vector<std::pair<VariableId, int>>& terms,
                                    int least) {
  LinearSum sum;
  for (const auto& [variable, coefficient] : terms) {
    if (variable != no_variable) sum.add(variable, coefficient);
  }
  model_.add_linear(sum, least, std::int64_t{1} << 40);
}

void RelaxedPlacement::add_execution(VariableId variable, TaskId task, MemoryId memory) {
  const Least least = least_way(task, memory);
  add_cost(variable, least.joules);
  int devices = 0;
  int only = 0;
  for (std::size_t d = 0; d < work_.size(); ++d) {
    if (graph_.problem->platform().devices[d].memory == memory)
      ++devices, only = static_cast<int>(d);
  }
  if (devices == 1) work_[only].add(variable, units_.seconds_down(least.seconds));
}

// A reader in a memory where the first execution was not: a copy, or another execution there.
void RelaxedPlacement::add_copies() {
  if (memories_.size() < 2) return;
  for (std::size_t t = 0; t < graph_.tasks(); ++t) {
    const auto task = static_cast<TaskId>(t);
    for (const MemoryId memory : memories_) {
      if (!has(task) || !may_repeat(task) || graph_.first_way(task, memory) == nullptr) continue;
      repeated_[t][memory] = model_.add_boolean();
      add_execution(repeated_[t][memory], task, memory);
    }
  }
  for (std::size_t i = 0; i < graph_.flat.items.size(); ++i) {
    const auto item = static_cast<GraphItemId>(i);
    const GraphItem& it = graph_.flat.items[i];
    if (!has_source(item)) continue;
    LinearSum one;
    for (const MemoryId memory : memories_) {
      const double joules = copy_joules_into(item, memory);
      copied_[i][memory] = model_.add_variable(0, std::isfinite(joules) ? 1 : 0);
      if (graph_.is_whole[i] && std::isfinite(joules)) add_cost(copied_[i][memory], joules);
      if (!it.writers.empty()) continue;
      home_[i][memory] = model_.add_boolean();
      one.add(home_[i][memory], 1);
    }
    if (it.writers.empty()) model_.add_linear(one, 1, 1);
    if (!graph_.is_whole[i]) continue;  // parts may go by themselves
    for (const TaskId reader : graph_.readers[i]) {
      for (const MemoryId memory : memories_) {
        if (in_[reader][memory] == no_variable) continue;
        const VariableId again =
            it.writers.size() == 1 ? repeated_[it.writers.front()][memory] : no_variable;
        add_at_least({{copied_[i][memory], 1},
                      {again, 1},
                      {home(item, memory), 1},
                      {in_[reader][memory], -1}},
                     0);
      }
    }
  }
}

// State that is updated in one memory and read in another crosses at least once: before it is read,
// or, if it was there from the start, when it is brought up to date.
void RelaxedPlacement::add_state_copies() {
  if (memories_.size() < 2 || !scope_.is_in.empty()) return;
  const auto& tasks = graph_.problem->graph().tasks;
  for (const PlacedState& state : graph_.states) {
    if (state.updaters.empty()) continue;
    const TaskId last = state.updaters.back();
    const auto updates_all = [&](const std::vector<TensorId>& list) {
      return std::find(list.begin(), list.end(), state.tensor) != list.end();
    };
    if (!updates_all(tasks[last].updates)) continue;
    const std::int64_t bytes = graph_.problem->graph().tensors[state.tensor].bytes;
    for (const MemoryId memory : memories_) {
      const double joules = prices_.into(memory, memories_, bytes).joules;
      const VariableId crosses = model_.add_variable(0, std::isfinite(joules) ? 1 : 0);
      if (std::isfinite(joules)) add_cost(crosses, joules);
      for (std::size_t t = 0; t < tasks.size(); ++t) {
        const bool reads = updates_all(tasks[t].reads) || updates_all(tasks[t].updates);
        if (!reads || in_[t][memory] == no_variable) continue;
        add_at_least({{crosses, 1}, {in_[last][memory], 1}, {in_[t][memory], -1}}, 0);
      }
    }
  }
}

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
  }
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
    model_.add_linear(rest, 0, units_.horizon * devices[d].workers);
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

// The step is no shorter than the work of a device, shared by its workers.
void RelaxedPlacement::add_lengths() {
  const auto& devices = graph_.problem->platform().devices;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    LinearSum rest;
    for (const auto& [variable, seconds] : work_[d].terms) rest.add(variable, -seconds);
    rest.add(length_, devices[d].workers);
    model_.add_linear(rest, 0, units_.horizon * devices[d].workers);
  }
}

void RelaxedPlacement::minimise_seconds() {
  add_lengths();
  model_.minimise(length_);
}

void RelaxedPlacement::minimise_joules(std::int64_t price) {
  add_lengths();
  LinearSum sum = joules_;
  if (units_.per_second_unit + price > 0) sum.add(length_, units_.per_second_unit + price);
  model_.minimise(sum);
}

}  // namespace stint
