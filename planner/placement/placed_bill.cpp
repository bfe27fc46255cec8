// What a replay costs, and the peaks of the memories.
#include <algorithm>

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

void PlacedReplay::bill() {
  seconds_ = ends_.empty() ? 0 : *std::max_element(ends_.begin(), ends_.end());
  for (std::size_t d = 0; d < computed_.size(); ++d) {
    const Device& device = platform().devices[d];
    if (device.active_watts > 0 && device.workers > 1) bill_overlaps(d);
  }
  const Request& request = graph_.problem->request();
  double window = seconds_;
  if (request.bill == Bill::deadline) window = *request.deadline_seconds;
  if (request.bill == Bill::period) window = request.period_seconds;
  joules_ = marginal_ + always_on_ * window;
}

void PlacedReplay::measure_peaks() {
  events_.clear();
  std::vector<std::int64_t> live(memories_, 0);
  for (std::size_t s = 0; s < graph_.states.size(); ++s) {
    for (int m = 0; m < memories_; ++m) {
      const bool is_read = state_now_[s * memories_ + m] == from_the_start;
      if (home_[s] == m || is_read) live[m] += graph_.states[s].bytes[m];
    }
  }
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    const bool is_point = instances_[i].end <= instances_[i].begin;
    events_.push_back({instances_[i].begin, 1, static_cast<int>(i)});
    events_.push_back({instances_[i].end, is_point ? 2 : 0, static_cast<int>(i)});
  }
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    if (steps_[s].task == no_task) continue;
    const DeviceId device{graph_.problem->workers[steps_[s].worker].device};
    const MemoryId memory = graph_.memory_of(device);
    if (graph_.workspace[steps_[s].task][memory] == 0) continue;
    const int instance = -1 - static_cast<int>(s);
    events_.push_back({ends_[s] - way(steps_[s].task, device).seconds, 1, instance});
    events_.push_back({ends_[s], 0, instance});
  }
  std::sort(events_.begin(), events_.end());
  peaks_ = live;
  peak_at_.assign(memories_, 0);
  for (const Event& event : events_) {
    std::int64_t bytes = 0;
    MemoryId memory = no_memory;
    if (event.instance < 0) {
      const PlacedStep& step = steps_[-1 - event.instance];
      memory = graph_.memory_of(DeviceId{graph_.problem->workers[step.worker].device});
      bytes = graph_.workspace[step.task][memory];
    } else {
      const PlacedInstance& instance = instances_[event.instance];
      memory = instance.memory;
      bytes = instance.state >= 0 ? graph_.states[instance.state].bytes[memory]
                                  : graph_.bytes[instance.item][memory];
    }
    live[memory] += event.kind == 1 ? bytes : -bytes;
    if (live[memory] > peaks_[memory])
      peaks_[memory] = live[memory], peak_at_[memory] = event.seconds;
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
