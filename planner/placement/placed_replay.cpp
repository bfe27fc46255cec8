#include "planner/placement/placed_replay.hpp"

#include <algorithm>
#include <numeric>

#include "planner/infinity.hpp"
#include "schedules/clock.hpp"
#include "schedules/cost.hpp"

namespace stint {
namespace {

constexpr std::size_t most_steps_per_task = 12;
constexpr std::size_t most_steps_besides = 200;

}  // namespace

PlacedReplay::PlacedReplay(const PlacedGraph& graph)
    : graph_(graph),
      memories_(static_cast<int>(graph.problem->platform().memories.size())),
      uses_(uses_of(graph)),
      channel_(channels(graph.problem->platform())),
      always_on_(always_on_watts(graph.problem->platform())) {
  const std::size_t devices = platform().devices.size();
  const double rate = graph.problem->request().bill == Bill::makespan ? always_on_ : 0;
  first_way_.assign(graph.tasks() * devices, -1);
  frugal_.assign(graph.tasks() * devices, 0);
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    const auto& ways = graph.ways[t];
    std::vector<double> least(devices, infinity);
    for (std::size_t w = 0; w < ways.size(); ++w) {
      const std::size_t place = t * devices + ways[w].device;
      if (ways[w].state == 0) first_way_[place] = static_cast<int>(w);
      const double cost = ways[w].joules + rate * ways[w].seconds;
      if (cost < least[ways[w].device])
        least[ways[w].device] = cost, frugal_[place] = ways[w].state;
    }
  }
}

bool PlacedReplay::make(const PlacementChoice& choice) {
  if (!make_without_peaks(choice)) return false;
  measure_peaks();
  return true;
}

bool PlacedReplay::make_without_peaks(const PlacementChoice& choice) {
  begin(choice);
  for (const TaskId task : choice.order) {
    again_.clear();
    if (!execute(task, choice.device[task], true)) return false;
    release(task);
  }
  if (!keep_results()) return false;
  for (const InPlace& pair : in_place_) {
    if (instances_[pair.from].end == pair.end) instances_[pair.to].begin = pair.end;
  }
  bill();
  return true;
}

void PlacedReplay::begin(const PlacementChoice& choice) {
  choice_ = &choice;
  const std::size_t items = graph_.flat.items.size();
  const std::size_t workers = graph_.problem->workers.size();
  steps_.clear(), instances_.clear(), ready_.clear(), read_.clear(), written_.clear();
  ends_.clear(), in_place_.clear();
  now_.assign(items * memories_, -1);
  loaded_.assign(items, 0);
  ran_.assign(graph_.tasks(), 0);
  pending_.resize(items);
  for (std::size_t i = 0; i < items; ++i)
    pending_[i] = static_cast<int>(graph_.flat.items[i].writers.size());
  worker_free_.assign(workers, 0);
  channel_free_.assign(platform().links.size(), 0);
  entered_.assign(workers, -1);
  computed_.resize(platform().devices.size());
  for (auto& list : computed_) list.clear();
  marginal_ = 0;
  settle_states();
}

void PlacedReplay::settle_states() {
  const std::size_t states = graph_.states.size();
  home_.assign(states, no_memory);
  state_now_.assign(states * memories_, -1);
  state_written_.assign(states, 0);
  state_read_.assign(states, 0);
  for (std::size_t s = 0; s < states; ++s) {
    const auto& updaters = graph_.states[s].updaters;
    if (!updaters.empty()) home_[s] = graph_.memory_of(choice_->device[updaters.front()]);
  }
}

const PlacedWay& PlacedReplay::way(TaskId task, DeviceId device) const {
  const std::size_t place = task * platform().devices.size() + device;
  const Device& on = platform().devices[device];
  int state = choice_->device_state[device];
  if (has_own_states(on)) {
    const bool chosen = choice_->device[task] == device;
    state = chosen ? choice_->state[task] : frugal_[place];
  }
  return graph_.ways[task][first_way_[place] + state];
}

bool PlacedReplay::execute(TaskId task, DeviceId device, bool is_first) {
  const std::size_t devices = platform().devices.size();
  if (steps_.size() > most_steps_per_task * graph_.tasks() + most_steps_besides) return false;
  if (first_way_[task * devices + device] < 0) return false;
  const GraphTask& flat = graph_.flat.tasks[task];
  if (!is_first && (flat.runs_once || !graph_.problem->request().recompute)) return false;
  const auto has_run = [&](TaskId other) { return ran_[other] != 0; };
  if (std::any_of(flat.ends_with.begin(), flat.ends_with.end(), has_run)) return false;
  for (const GraphItemId item : flat.reads) {
    if (!provide(item, task, device)) return false;
  }
  for (const int state : graph_.reads_state[task]) {
    if (!provide_state(state, device)) return false;
  }
  run(task, device);
  return true;
}

bool PlacedReplay::provide(GraphItemId item, TaskId reader, DeviceId device) {
  const MemoryId memory = graph_.memory_of(device);
  if (now(item, memory) >= 0) return true;
  const auto& writers = graph_.flat.items[item].writers;
  if (writers.empty() && !loaded_[item]) return load(item, reader, device), true;
  const bool can_repeat = !graph_.flat.items[item].is_fixed && choice_->repeats[item] != 0;
  if (can_repeat && compute_again(item, device)) return true;
  if (copy_here(item, device)) return true;
  return compute_again(item, device);
}

bool PlacedReplay::compute_again(GraphItemId item, DeviceId device) {
  const GraphItem& wanted = graph_.flat.items[item];
  if (wanted.is_fixed || wanted.writers.empty()) return false;
  const TaskId writer = wanted.writers.front();
  if (!ran_[writer]) return false;
  again_.push_back(item);
  const bool can = first_way_[writer * platform().devices.size() + device] >= 0;
  if (can) return execute(writer, device, false);
  return execute(writer, choice_->device[writer], false) && copy_here(item, device);
}

int PlacedReplay::add_instance(GraphItemId item, int state, MemoryId memory, double begin,
                               double end) {
  instances_.push_back({item, state, memory, begin, end});
  ready_.push_back(end);
  return static_cast<int>(instances_.size() - 1);
}

// The one that was chosen, or of those that are free in time the one that was busy last: the others
// may be of use earlier.
WorkerId PlacedReplay::pick_worker(TaskId task, DeviceId device, double ready) const {
  if (!choice_->worker.empty() && task != no_task) {
    const WorkerId chosen = choice_->worker[task];
    if (graph_.problem->workers[chosen].device == device) return chosen;
  }
  const WorkerId first = graph_.problem->first_worker[device];
  const int count = platform().devices[device].workers;
  int best = first;
  for (int w = first + 1; w < first + count; ++w) {
    const double begin = std::max(ready, worker_free_[w]);
    const double best_begin = std::max(ready, worker_free_[best]);
    if (begin < best_begin || (begin == best_begin && worker_free_[w] > worker_free_[best]))
      best = w;
  }
  return static_cast<WorkerId>(best);
}

// When everything that the task reads is there, and nobody reads what it updates.
double PlacedReplay::gather(TaskId task, DeviceId device) {
  const MemoryId memory = graph_.memory_of(device);
  double ready = 0;
  for (const GraphItemId item : graph_.flat.tasks[task].reads) {
    read_.push_back(now(item, memory));
    ready = std::max(ready, ready_[read_.back()]);
  }
  for (const int state : graph_.reads_state[task]) {
    read_.push_back(home_[state] == memory ? -1 : state_now_[state * memories_ + memory]);
    ready = std::max(ready, read_.back() < 0 ? state_written_[state] : ready_[read_.back()]);
  }
  for (const int state : graph_.updates_state[task])
    ready = std::max({ready, state_written_[state], state_read_[state]});
  return ready;
}

double PlacedReplay::enter(WorkerId worker, DeviceId device, int state, double ready) {
  const bool switches = entered_[worker] >= 0 && entered_[worker] != state;
  entered_[worker] = state;
  if (!switches) return ready;
  const PowerState& power = platform().devices[device].states[state];
  marginal_ += power.switch_joules;
  return ready + power.switch_seconds;
}

void PlacedReplay::run(TaskId task, DeviceId device) {
  PlacedStep step;
  step.task = task;
  step.first_read = static_cast<int>(read_.size());
  step.first_written = static_cast<int>(written_.size());
  const double ready = gather(task, device);
  const PlacedWay& chosen = way(task, device);
  step.state = chosen.state;
  step.worker = pick_worker(task, device, ready);
  const double start =
      enter(step.worker, device, chosen.state, std::max(ready, worker_free_[step.worker]));
  const double end = start + chosen.seconds;
  marginal_ += chosen.joules;
  worker_free_[step.worker] = end;
  note_uses(task, device, end);
  write(task, graph_.memory_of(device), start, end);
  ran_[task] = 1;
  computed_[device].push_back(static_cast<int>(steps_.size()));
  steps_.push_back(step);
  ends_.push_back(end);
}

void PlacedReplay::note_uses(TaskId task, DeviceId device, double end) {
  const MemoryId memory = graph_.memory_of(device);
  for (const GraphItemId item : graph_.flat.tasks[task].reads) {
    PlacedInstance& instance = instances_[now(item, memory)];
    instance.end = std::max(instance.end, end);
  }
  for (const int state : graph_.reads_state[task]) {
    const int copy = home_[state] == memory ? -1 : state_now_[state * memories_ + memory];
    double& until = copy < 0 ? state_read_[state] : instances_[copy].end;
    until = std::max(until, end);
  }
  for (const int state : graph_.updates_state[task]) {
    state_written_[state] = end;
    for (int m = 0; m < memories_; ++m) state_now_[state * memories_ + m] = -1;
  }
}

// What is there already, or there is only once, a task that runs again writes for nobody.
void PlacedReplay::write(TaskId task, MemoryId memory, double start, double end) {
  for (const GraphOutput& output : graph_.flat.tasks[task].writes) {
    int& there = now(output.item, memory);
    const bool again = ran_[task] != 0;
    const bool for_nobody = again && (there >= 0 || graph_.flat.items[output.item].is_fixed);
    if (for_nobody || there < 0) {
      written_.push_back(add_instance(output.item, -1, memory, start, end));
      if (!for_nobody) there = written_.back();
    } else {
      written_.push_back(there);  // a part of what is there
      instances_[there].end = std::max(instances_[there].end, end);
      ready_[there] = std::max(ready_[there], end);
    }
    if (!again) --pending_[output.item];
    const GraphItemId place = output.in_place;
    if (place != no_graph_item && now(place, memory) >= 0)
      in_place_.push_back({now(place, memory), written_.back(), end});
  }
}

void PlacedReplay::drop(GraphItemId item) {
  for (int m = 0; m < memories_; ++m) now(item, static_cast<MemoryId>(m)) = -1;
}

void PlacedReplay::release(TaskId task) {
  const MemoryId memory = graph_.memory_of(choice_->device[task]);
  for (const GraphItemId item : again_) {
    if (!choice_->holds[item] && !graph_.flat.items[item].is_result) drop(item);
  }
  for (int use = uses_.first[task]; use < uses_.first[task + 1]; ++use) {
    const GraphItemId item = uses_.item[use];
    const GraphItem& used = graph_.flat.items[item];
    if (choice_->after[use] == AfterUse::drop && !used.is_fixed && !used.is_result) drop(item);
    if (choice_->after[use] == AfterUse::send) send_away(item, memory);
  }
}

bool PlacedReplay::keep_results() {
  results_.assign(graph_.flat.items.size(), -1);
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const auto item = static_cast<GraphItemId>(i);
    const GraphItem& result = graph_.flat.items[item];
    if (!result.is_result) continue;
    for (int m = memories_ - 1; m >= 0; --m) {
      if (now(item, static_cast<MemoryId>(m)) >= 0)
        results_[i] = now(item, static_cast<MemoryId>(m));
    }
    if (results_[i] < 0) {
      const DeviceId device =
          result.writers.empty() ? DeviceId{0} : choice_->device[result.writers.front()];
      if (!provide(item, no_task, device)) return false;
      results_[i] = now(item, graph_.memory_of(device));
    }
    instances_[results_[i]].end = infinity;
  }
  return true;
}

}  // namespace stint
