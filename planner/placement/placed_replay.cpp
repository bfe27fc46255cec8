#include "planner/placement/placed_replay.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "schedules/clock.hpp"
#include "schedules/cost.hpp"

namespace stint {
namespace {

constexpr double forever = std::numeric_limits<double>::infinity();
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
    std::vector<double> least(devices, forever);
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
  measure_peaks();
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
  if (!is_first) {
    if (flat.runs_once || !graph_.problem->request().recompute) return false;
    const auto has_run = [&](TaskId other) { return ran_[other] != 0; };
    if (std::any_of(flat.ends_with.begin(), flat.ends_with.end(), has_run)) return false;
  }
  for (const GraphItemId item : flat.reads) {
    if (!provide(item, device)) return false;
  }
  for (const int state : graph_.reads_state[task]) {
    if (!provide_state(state, device)) return false;
  }
  run(task, device);
  return true;
}

bool PlacedReplay::provide(GraphItemId item, DeviceId device) {
  const MemoryId memory = graph_.memory_of(device);
  if (now(item, memory) >= 0) return true;
  const auto& writers = graph_.flat.items[item].writers;
  if (writers.empty() && !loaded_[item]) return load(item, device), true;
  const bool can_repeat = !graph_.flat.items[item].is_fixed && choice_->repeats[item] != 0;
  if (can_repeat && compute_again(item, device)) return true;
  if (copy_here(item, device)) return true;
  return compute_again(item, device);
}

void PlacedReplay::load(GraphItemId item, DeviceId device) {
  PlacedStep step;
  step.worker = pick_worker(device, 0);
  const double at = worker_free_[step.worker];
  step.to = add_instance(item, -1, graph_.memory_of(device), at, at);
  loaded_[item] = 1;
  now(item, graph_.memory_of(device)) = step.to;
  steps_.push_back(step);
  ends_.push_back(at);
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

// From the memory from which it takes the least time.
bool PlacedReplay::copy_here(GraphItemId item, DeviceId device) {
  if (pending_[item] > 0) return false;
  const MemoryId to = graph_.memory_of(device);
  MemoryId best = no_memory;
  double least = forever;
  for (int m = 0; m < memories_; ++m) {
    const auto from = static_cast<MemoryId>(m);
    if (now(item, from) < 0 || graph_.routes[from][to].empty()) continue;
    double seconds = ready_[now(item, from)];
    for (const LinkId link : graph_.routes[from][to])
      seconds += 1 / platform().links[link].bytes_per_second;
    if (seconds < least) least = seconds, best = from;
  }
  if (best == no_memory) return false;
  for (const LinkId link : graph_.routes[best][to]) {
    const Link& way = platform().links[link];
    if (now(item, way.to) < 0)
      now(item, way.to) = copy(now(item, way.from), -1, link, device, true);
  }
  return true;
}

WorkerId PlacedReplay::held_up_by(const Link& link, DeviceId device) const {
  const auto at_an_end = [&](const Device& other) {
    return other.memory == link.from || other.memory == link.to;
  };
  const auto& devices = platform().devices;
  if (at_an_end(devices[device])) return graph_.problem->first_worker[device];
  const auto other = std::find_if(devices.begin(), devices.end(), at_an_end);
  return graph_.problem->first_worker[other == devices.end() ? 0 : other - devices.begin()];
}

int PlacedReplay::copy(int from, int state, LinkId link, DeviceId device, bool waits) {
  const Link& way = platform().links[link];
  PlacedStep step;
  step.worker = graph_.problem->link_worker[link];
  step.from = from;
  double start = from >= 0 ? ready_[from] : state_written_[state];
  start = std::max(start, channel_free_[channel_[link]]);
  const auto& computed = computed_[device];
  const int position = static_cast<int>(computed.size()) - choice_->ahead;
  if (waits && choice_->ahead > 0 && position >= 0) {
    step.wait_for = computed[position];
    start = std::max(start, ends_[step.wait_for]);
  }
  if (way.blocking) {
    step.occupies = held_up_by(way, device);
    start = std::max(start, worker_free_[step.occupies]);
  }
  const GraphItemId item = from >= 0 ? instances_[from].item : no_graph_item;
  const TensorId tensor =
      item == no_graph_item ? graph_.states[state].tensor : graph_.flat.items[item].tensor;
  const std::int64_t bytes = graph_.problem->graph().tensors[tensor].bytes;
  const double end = start + copy_seconds(way, bytes);
  marginal_ += copy_joules(way, bytes);
  channel_free_[channel_[link]] = end;
  if (step.occupies != no_worker) worker_free_[step.occupies] = end;
  if (from >= 0) instances_[from].end = std::max(instances_[from].end, end);
  if (from < 0) state_read_[state] = std::max(state_read_[state], end);
  step.to = add_instance(item, item == no_graph_item ? state : -1, way.to, start, end);
  steps_.push_back(step);
  ends_.push_back(end);
  return step.to;
}

bool PlacedReplay::provide_state(int state, DeviceId device) {
  const MemoryId memory = graph_.memory_of(device);
  int& here = state_now_[state * memories_ + memory];
  if (home_[state] == no_memory) here = from_the_start;
  if (home_[state] == memory || here != -1) return true;
  int from = -1;
  for (const LinkId link : graph_.routes[home_[state]][memory]) {
    int& there = state_now_[state * memories_ + platform().links[link].to];
    if (there < 0) there = copy(from, state, link, device, true);
    from = there;
  }
  return from >= 0;
}

int PlacedReplay::add_instance(GraphItemId item, int state, MemoryId memory, double begin,
                               double end) {
  instances_.push_back({item, state, memory, begin, end});
  ready_.push_back(end);
  return static_cast<int>(instances_.size() - 1);
}

// Of those that are free in time the one that was busy last: the others may be of use earlier.
WorkerId PlacedReplay::pick_worker(DeviceId device, double ready) const {
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
  step.worker = pick_worker(device, ready);
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

void PlacedReplay::send_away(GraphItemId item, MemoryId from) {
  const MemoryId to = graph_.away[from];
  if (to == no_memory || now(item, from) < 0 || pending_[item] > 0) return;
  const LinkId link = graph_.routes[from][to].front();
  if (now(item, to) < 0) now(item, to) = copy(now(item, from), -1, link, DeviceId{0}, false);
  now(item, from) = -1;
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
      if (!provide(item, device)) return false;
      results_[i] = now(item, graph_.memory_of(device));
    }
    instances_[results_[i]].end = forever;
  }
  return true;
}

}  // namespace stint
