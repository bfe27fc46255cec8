// What a replay costs, and the peaks of the memories.
#include <algorithm>

#include "planner/draft.hpp"
#include "planner/placement/placed_replay.hpp"

namespace stint {

// A device with several workers is active while any of them is busy: at least for the share of each
// that was counted so far.
void PlacedReplay::bill_overlaps(std::size_t device) {
  const Device& on = platform().devices[device];
  busy_.clear();
  double shares = 0;
  for (const int step : computed_[device]) {
    const double seconds = way(steps_[step].task, static_cast<DeviceId>(device)).seconds;
    busy_.emplace_back(ends_[step] - seconds, ends_[step]);
    shares += seconds / on.workers;
  }
  std::sort(busy_.begin(), busy_.end());
  double active = 0;
  double until = 0;
  for (const auto& [begin, end] : busy_) {
    active += std::max(0.0, end - std::max(begin, until));
    until = std::max(until, end);
  }
  marginal_ += on.active_watts * (active - shares);
}

// Who waits for a task spins, where watts are paid for that, unless it pays to sleep; what is left
// of a step when a worker has ended and what it waits for its first task is one wait.
void PlacedReplay::bill_waits(std::size_t device) {
  const Device& on = platform().devices[device];
  const auto spin = [&](double seconds) {
    if (!pays_to_sleep(seconds, on, always_on_)) marginal_ += on.wait_watts * seconds;
  };
  for (int w = 0; w < on.workers; ++w) {
    const int worker = graph_.problem->first_worker[device] + w;
    double first = -1;
    double free = 0;
    for (const int step : computed_[device]) {
      if (steps_[step].worker != worker) continue;
      const double seconds = way(steps_[step].task, static_cast<DeviceId>(device)).seconds;
      const double start = ends_[step] - seconds;
      if (first < 0)
        first = start;
      else
        spin(start - free);
      free = ends_[step];
    }
    if (first >= 0) spin(first + seconds_ - free);
  }
}

void PlacedReplay::bill() {
  seconds_ = ends_.empty() ? 0 : *std::max_element(ends_.begin(), ends_.end());
  for (std::size_t d = 0; d < computed_.size(); ++d) {
    const Device& device = platform().devices[d];
    if (device.active_watts > 0 && device.workers > 1) bill_overlaps(d);
    if (device.wait_watts > 0) bill_waits(d);
  }
  const Request& request = graph_.problem->request();
  double window = seconds_;
  if (request.bill == Bill::deadline) window = *request.deadline_seconds;
  if (request.bill == Bill::period) window = request.period_seconds;
  joules_ = marginal_ + always_on_ * window;
}

// Bytes of state that live in a memory throughout.
std::int64_t PlacedReplay::state_bytes(int memory) const {
  std::int64_t bytes = 0;
  for (std::size_t s = 0; s < graph_.states.size(); ++s) {
    const bool is_read = state_now_[s * memories_ + memory] == from_the_start;
    if (home_[s] == memory || is_read) bytes += graph_.states[s].bytes[memory];
  }
  return bytes;
}

// When instances and workspaces of steps come and go, in no order.
void PlacedReplay::find_events() {
  events_.clear();
  for (const PlacedInstance& it : instances_) {
    const bool is_point = it.end <= it.begin;
    const std::int64_t bytes =
        it.state >= 0 ? graph_.states[it.state].bytes[it.memory] : graph_.bytes[it.item][it.memory];
    events_.push_back({it.begin, 1, it.memory, bytes});
    events_.push_back({it.end, is_point ? 2 : 0, it.memory, -bytes});
  }
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    if (steps_[s].task == no_task) continue;
    const DeviceId device{graph_.problem->workers[steps_[s].worker].device};
    const MemoryId memory = graph_.memory_of(device);
    const std::int64_t bytes = graph_.workspace[steps_[s].task][memory];
    if (bytes == 0) continue;
    events_.push_back({ends_[s] - way(steps_[s].task, device).seconds, 1, memory, bytes});
    events_.push_back({ends_[s], 0, memory, -bytes});
  }
}

void PlacedReplay::measure_peaks(const std::vector<std::int64_t>* enough_bytes) {
  find_events();
  live_.clear();
  for (int m = 0; m < memories_; ++m) live_.push_back(state_bytes(m));
  most_ = live_;
  for (const Event& event : events_) most_[event.memory] += std::max<std::int64_t>(0, event.bytes);
  const auto is_enough = [&](const Event& event) {
    return enough_bytes != nullptr && most_[event.memory] <= (*enough_bytes)[event.memory];
  };
  events_.erase(std::remove_if(events_.begin(), events_.end(), is_enough), events_.end());
  std::sort(events_.begin(), events_.end());
  peaks_ = live_;
  peak_at_.assign(memories_, 0);
  for (const Event& event : events_) {
    live_[event.memory] += event.bytes;
    if (live_[event.memory] > peaks_[event.memory])
      peaks_[event.memory] = live_[event.memory], peak_at_[event.memory] = event.seconds;
  }
}

void PlacedReplay::live_at_peak(MemoryId memory, std::vector<int>& instances) const {
  instances.clear();
  const double at = peak_at_[memory];
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    const PlacedInstance& instance = instances_[i];
    if (instance.memory == memory && instance.begin <= at && at < instance.end)
      instances.push_back(static_cast<int>(i));
  }
}

int PlacedReplay::place_at(double seconds) const {
  std::vector<char> begun(graph_.tasks(), 0);
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    if (steps_[s].task != no_task && ends_[s] <= seconds) begun[steps_[s].task] = 1;
  }
  return static_cast<int>(std::count(begun.begin(), begun.end(), 1));
}

}  // namespace stint
