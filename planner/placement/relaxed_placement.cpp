#include "planner/placement/relaxed_placement.hpp"

#include <algorithm>
#include <cmath>

#include "planner/infinity.hpp"

namespace stint {
namespace {

constexpr double downwards = 1 - 1e-12;  // sums of doubles err in their last bits
constexpr double most_counted = 1e13;

}  // namespace

std::int64_t RelaxedUnits::seconds_down(double value) const {
  return static_cast<std::int64_t>(std::min(value / seconds * downwards, most_counted));
}
std::int64_t RelaxedUnits::joules_down(double value) const {
  return static_cast<std::int64_t>(std::min(value / joules * downwards, most_counted));
}

RelaxedPlacement::RelaxedPlacement(const PlacedGraph& graph, const RelaxedUnits& units,
                                   RelaxedScope scope)
    : graph_(graph),
      units_(units),
      scope_(std::move(scope)),
      prices_(graph.problem->platform()),
      work_(graph.problem->platform().devices.size()),
      arrivals_(graph.problem->platform().memories.size()),
      departures_(graph.problem->platform().memories.size()) {
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
  crosses_.assign(graph_.states.size(), none);
  length_ = model_.add_variable(0, units_.horizon);
  add_places();
  add_device_states();
  add_copies();
  add_state_copies();
  add_times();
}

RelaxedPlacement::Least RelaxedPlacement::least_way(TaskId task, MemoryId memory) const {
  Least least{infinity, infinity};
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

void RelaxedPlacement::add_arrival(VariableId variable, MemoryId memory, std::int64_t bytes) {
  arrivals_[memory].add(variable, units_.seconds_down(prices_.busy_seconds_into(memory, bytes)));
}

void RelaxedPlacement::add_departure(VariableId variable, MemoryId memory, std::int64_t bytes) {
  departures_[memory].add(variable,
                          units_.seconds_down(prices_.busy_seconds_out_of(memory, bytes)));
}

// Between two memories what comes into the one leaves the other.
void RelaxedPlacement::add_copy(GraphItemId item, MemoryId memory) {
  const std::int64_t bytes = graph_.problem->graph().tensors[graph_.flat.items[item].tensor].bytes;
  add_arrival(copied_[item][memory], memory, bytes);
  if (memories_.size() != 2) return;
  const MemoryId other = memories_[0] == memory ? memories_[1] : memories_[0];
  add_departure(copied_[item][memory], other, bytes);
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
      if (graph_.is_whole[i] && std::isfinite(joules)) {
        add_cost(copied_[i][memory], joules);
        add_copy(item, memory);
      }
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
  for (std::size_t s = 0; s < graph_.states.size(); ++s) {
    const PlacedState& state = graph_.states[s];
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
      crosses_[s][memory] = crosses;
      if (std::isfinite(joules)) add_cost(crosses, joules);
      for (std::size_t t = 0; t < tasks.size(); ++t) {
        const bool reads = updates_all(tasks[t].reads) || updates_all(tasks[t].updates);
        if (!reads || in_[t][memory] == no_variable) continue;
        add_at_least({{crosses, 1}, {in_[last][memory], 1}, {in_[t][memory], -1}}, 0);
      }
    }
  }
}

void RelaxedPlacement::minimise_seconds(std::int64_t least) {
  add_lengths();
  if (least > 0) model_.add_linear(length_, least, units_.horizon);
  model_.minimise(length_);
}

void RelaxedPlacement::minimise_joules(std::int64_t price, std::int64_t least) {
  add_lengths();
  LinearSum sum = joules_;
  if (units_.per_second_unit + price > 0) sum.add(length_, units_.per_second_unit + price);
  if (least > 0) model_.add_linear(sum, least, std::int64_t{1} << 60);
  model_.minimise(sum);
}

}  // namespace stint
