#include "schedules/simulate.hpp"

#include "schedules/clock.hpp"
#include "schedules/live_bytes.hpp"
#include "schedules/timeline.hpp"

namespace stint {
namespace {

void bill_what_is_always_on(const Schedule& schedule, Simulation& result) {
  const double window = billed_seconds(schedule.request, result.makespan_seconds);
  for (const Node& node : schedule.platform.nodes)
    result.joules_by.base += node.base_watts * window;
  for (const Device& device : schedule.platform.devices) {
    result.joules_by.idle += device.idle_watts * window;
  }
  for (const Memory& memory : schedule.platform.memories) {
    result.joules_by.memory += memory.static_watts * window;
  }
}

// What links add is for copies; only computes add something on other workers. The lanes say which,
// in far fewer bytes than the actions.
void bill_actions(const std::vector<Worker>& workers, const Lanes& lanes, Simulation& result) {
  for (std::size_t i = 0; i < lanes.own.size(); ++i) {
    const bool copy = workers[lanes.own[i].lane].is_link();
    (copy ? result.joules_by.copy : result.joules_by.compute) += result.joules[i];
  }
}

// Devices with at least one busy worker draw extra.
class ActiveTime {
 public:
  explicit ActiveTime(std::size_t devices)
      : busy_(devices, 0), since_(devices, 0), total_(devices, 0) {}
  void begin(int device, double seconds) {
    if (busy_[device]++ == 0) since_[device] = seconds;
  }
  void end(int device, double seconds) {
    if (--busy_[device] == 0) total_[device] += seconds - since_[device];
  }
  double total(std::size_t device) const { return total_[device]; }

 private:
  std::vector<int> busy_;
  std::vector<double> since_;
  std::vector<double> total_;
};

void bill_active_devices(const Schedule& schedule, const std::vector<Worker>& workers,
                         const Lanes& lanes, const std::vector<TimelineEvent>& timeline,
                         Simulation& result) {
  ActiveTime active(schedule.platform.devices.size());
  for (const TimelineEvent& event : timeline) {
    const auto count = [&](WorkerId worker) {
      if (workers[worker].is_link()) return;
      const int device = workers[worker].device;
      event.is_start ? active.begin(device, event.seconds) : active.end(device, event.seconds);
    };
    count(lanes.own[event.action].lane);
    if (lanes.occupied[event.action] >= 0) count(schedule.actions[event.action].occupies);
  }
  for (std::size_t d = 0; d < schedule.platform.devices.size(); ++d) {
    result.joules_by.active += schedule.platform.devices[d].active_watts * active.total(d);
  }
}

std::map<std::string, std::int64_t> peaks_of_used_memories(const Schedule& schedule,
                                                           const Simulation& simulation) {
  std::vector<bool> used(schedule.platform.memories.size(), false);
  for (const Buffer& buffer : schedule.buffers) used[buffer.memory] = true;
  std::map<std::string, std::int64_t> peaks;
  for (int m = 0; m < static_cast<int>(used.size()); ++m) {
    if (used[m]) peaks[memory_name(schedule.platform, MemoryId{m})] = simulation.peak_bytes[m];
  }
  return peaks;
}

}  // namespace

Simulation simulate(const Schedule& schedule) {
  const auto all_workers = workers(schedule.platform);
  return simulate(schedule, all_workers, order(schedule, static_cast<int>(all_workers.size())));
}

Simulation simulate(const Schedule& schedule, const std::vector<Worker>& workers,
                    const Order& order) {
  Simulation result;
  run_clock(schedule, workers, order, result);
  const auto events = timeline(schedule, order, result);
  bill_actions(workers, order.lanes, result);
  bill_active_devices(schedule, workers, order.lanes, events, result);
  bill_what_is_always_on(schedule, result);
  result.peak_bytes = peak_bytes(schedule, events);
  return result;
}

double billed_seconds(const Request& request, double makespan_seconds) {
  if (request.bill == Bill::deadline) return request.deadline_seconds.value_or(makespan_seconds);
  return request.bill == Bill::period ? request.period_seconds : makespan_seconds;
}

double objective_value(const Schedule& schedule, const Simulation& simulation) {
  switch (schedule.request.objective) {
    case Objective::time:
      return simulation.makespan_seconds;
    case Objective::edp:
      return simulation.joules_by.total() * simulation.makespan_seconds;
    case Objective::memory: {
      double bytes = 0;
      for (const auto& [name, arena] : schedule.arenas) {
        const auto memory = find_memory(schedule.platform, name);
        const bool counts =
            memory && schedule.platform.memories[*memory].kind != MemoryKind::storage;
        if (counts) bytes += static_cast<double>(arena);
      }
      return bytes;
    }
    case Objective::energy:
      break;
  }
  return simulation.joules_by.total();
}

Predicted predict(const Schedule& schedule, const Simulation& simulation) {
  Predicted predicted = schedule.predicted;
  predicted.seconds = simulation.makespan_seconds;
  predicted.joules_by = simulation.joules_by;
  predicted.joules = simulation.joules_by.total();
  predicted.peak_bytes = peaks_of_used_memories(schedule, simulation);
  predicted.executions = 0;
  predicted.copied_bytes = 0;
  std::vector<bool> executed(schedule.graph.tasks.size(), false);
  std::int64_t distinct = 0;
  for (const Action& action : schedule.actions) {
    if (action.what == Do::copy) predicted.copied_bytes += bytes_moved(schedule, action);
    if (action.what != Do::compute) continue;
    ++predicted.executions;
    if (!executed[action.task]) ++distinct;
    executed[action.task] = true;
  }
  predicted.recomputed = predicted.executions - distinct;
  predicted.objective.objective = schedule.request.objective;
  predicted.objective.value = objective_value(schedule, simulation);
  return predicted;
}

std::vector<std::vector<MemoryLevel>> memory_curves(const Schedule& schedule,
                                                    const Simulation& simulation) {
  const int worker_count = static_cast<int>(workers(schedule.platform).size());
  const auto changes =
      live_changes(schedule, timeline(schedule, order(schedule, worker_count), simulation));
  std::vector<std::vector<MemoryLevel>> curves(schedule.platform.memories.size(), {{0, 0}});
  for (const LiveChange& change : changes) {
    auto& curve = curves[change.memory];
    curve.push_back({change.seconds, curve.back().bytes + change.bytes});
  }
  return curves;
}

}  // namespace stint
