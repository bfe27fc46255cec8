// How a replay brings things where they are needed: loads, copies over links, and what is sent
// away.
#include <algorithm>
#include <limits>

#include "planner/placement/placed_replay.hpp"
#include "schedules/cost.hpp"

namespace stint {

void PlacedReplay::load(GraphItemId item, TaskId reader, DeviceId device) {
  PlacedStep step;
  step.worker = pick_worker(reader, device, 0);
  const double at = worker_free_[step.worker];
  step.to = add_instance(item, -1, graph_.memory_of(device), at, at);
  loaded_[item] = 1;
  now(item, graph_.memory_of(device)) = step.to;
  steps_.push_back(step);
  ends_.push_back(at);
}

// From the memory from which it takes the least time.
bool PlacedReplay::copy_here(GraphItemId item, DeviceId device) {
  if (pending_[item] > 0) return false;
  const MemoryId to = graph_.memory_of(device);
  MemoryId best = no_memory;
  double least = std::numeric_limits<double>::infinity();
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

void PlacedReplay::send_away(GraphItemId item, MemoryId from) {
  const MemoryId to = graph_.away[from];
  if (to == no_memory || now(item, from) < 0 || pending_[item] > 0) return;
  const LinkId link = graph_.routes[from][to].front();
  if (now(item, to) < 0) now(item, to) = copy(now(item, from), -1, link, DeviceId{0}, false);
  now(item, from) = -1;
}

}  // namespace stint
