#include "schedules/tracks.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace stint {
namespace {

constexpr double longest_ns = 9e18;

TrackSpan span_of(const Simulation& simulation, ActionId action) {
  const double start = simulation.start_seconds[action];
  return {action, nanoseconds(start), nanoseconds(start + simulation.seconds[action])};
}

// Watts that come and go. Those that are on are summed anew at each moment of silence, so that
// nothing is left of a long sum.
class Consumers {
 public:
  void add(const TrackSpan& span, double watts) {
    if (span.end_ns <= span.start_ns || watts == 0) return;
    Change& start = changes_[span.start_ns];
    start.watts += watts;
    ++start.count;
    Change& end = changes_[span.end_ns];
    end.watts -= watts;
    --end.count;
  }

  PowerCurve above(double always, std::int64_t end_ns) const {
    PowerCurve curve = {{0, always}};
    double watts = 0;
    int count = 0;
    for (const auto& [ns, change] : changes_) {
      count += change.count;
      watts = count == 0 ? 0 : watts + change.watts;
      append(curve, {ns, always + watts});
    }
    append(curve, {end_ns, 0});
    return curve;
  }

 private:
  struct Change {
    double watts = 0;
    int count = 0;
  };

  static void append(PowerCurve& curve, PowerLevel level) {
    if (curve.back().ns == level.ns) curve.pop_back();
    if (curve.empty() || curve.back().watts != level.watts) curve.push_back(level);
  }

  std::map<std::int64_t, Change> changes_;
};

// One span for every stretch of time in which some worker of the device is busy.
std::vector<TrackSpan> united(std::vector<TrackSpan> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const TrackSpan& a, const TrackSpan& b) { return a.start_ns < b.start_ns; });
  std::vector<TrackSpan> stretches;
  for (const TrackSpan& span : spans) {
    if (!stretches.empty() && span.start_ns <= stretches.back().end_ns) {
      stretches.back().end_ns = std::max(stretches.back().end_ns, span.end_ns);
    } else {
      stretches.push_back(span);
    }
  }
  return stretches;
}

double watts_of(const Simulation& simulation, ActionId action) {
  const double seconds = simulation.seconds[action];
  return seconds > 0 ? simulation.joules[action] / seconds : 0;
}

double always_on(const Platform& platform, NodeId node) {
  double watts = platform.nodes[node].base_watts;
  for (const Memory& memory : platform.memories) {
    if (memory.node == node) watts += memory.static_watts;
  }
  return watts;
}

// The levels of one instant, as one or two: a peak that is over at once, then what stays.
void append_instant(std::vector<ByteLevel>& curve, std::int64_t ns, std::int64_t highest,
                    std::int64_t last) {
  const std::int64_t before = curve.empty() ? 0 : curve.back().bytes;
  if (highest > before && highest > last) curve.push_back({ns, highest});
  if (curve.empty() || curve.back().bytes != last) curve.push_back({ns, last});
}

std::vector<ByteLevel> byte_curve(const std::vector<MemoryLevel>& levels) {
  std::vector<ByteLevel> curve;
  for (std::size_t i = 0; i < levels.size();) {
    const std::int64_t ns = nanoseconds(levels[i].seconds);
    std::int64_t highest = levels[i].bytes;
    std::size_t next = i + 1;
    for (; next < levels.size() && nanoseconds(levels[next].seconds) == ns; ++next) {
      highest = std::max(highest, levels[next].bytes);
    }
    append_instant(curve, ns, highest, levels[next - 1].bytes);
    i = next;
  }
  return curve;
}

}  // namespace

std::int64_t nanoseconds(double seconds) {
  if (!(seconds > 0)) return 0;  // nor is not-a-number a time
  return std::llround(std::min(seconds * 1e9, longest_ns));
}

std::vector<std::vector<TrackSpan>> tracks(const Schedule& schedule, const Simulation& simulation) {
  std::vector<std::vector<TrackSpan>> by_worker(workers(schedule.platform).size());
  for (int i = 0; i < static_cast<int>(schedule.actions.size()); ++i) {
    const Action& action = schedule.actions[i];
    const TrackSpan span = span_of(simulation, ActionId{i});
    by_worker[action.worker].push_back(span);
    if (action.occupies != no_worker) by_worker[action.occupies].push_back(span);
  }
  for (auto& spans : by_worker) {
    std::stable_sort(spans.begin(), spans.end(), [](const TrackSpan& a, const TrackSpan& b) {
      return std::pair(a.start_ns, a.end_ns) < std::pair(b.start_ns, b.end_ns);
    });
  }
  return by_worker;
}

std::vector<std::vector<ByteLevel>> byte_curves(const Schedule& schedule,
                                                const Simulation& simulation) {
  std::vector<std::vector<ByteLevel>> curves;
  for (const auto& levels : memory_curves(schedule, simulation))
    curves.push_back(byte_curve(levels));
  return curves;
}

PowerCurves power_curves(const Schedule& schedule, const Simulation& simulation) {
  const Platform& platform = schedule.platform;
  const std::vector<Worker> all = workers(platform);
  std::vector<Consumers> nodes(platform.nodes.size()), devices(platform.devices.size());
  std::vector<std::vector<TrackSpan>> busy(platform.devices.size());
  for (int i = 0; i < static_cast<int>(schedule.actions.size()); ++i) {
    const Action& action = schedule.actions[i];
    const Worker& worker = all[action.worker];
    const TrackSpan span = span_of(simulation, ActionId{i});
    const double watts = watts_of(simulation, ActionId{i});
    if (worker.is_link()) {
      nodes[platform.memories[platform.links[worker.link].from].node].add(span, watts);
    } else {
      devices[worker.device].add(span, watts);
      busy[worker.device].push_back(span);
    }
    if (action.occupies != no_worker) busy[all[action.occupies].device].push_back(span);
  }
  const std::int64_t end_ns = nanoseconds(simulation.makespan_seconds);
  PowerCurves curves;
  for (int i = 0; i < static_cast<int>(nodes.size()); ++i) {
    curves.of_node.push_back(nodes[i].above(always_on(platform, NodeId{i}), end_ns));
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const Device& device = platform.devices[i];
    for (const TrackSpan& stretch : united(busy[i])) devices[i].add(stretch, device.active_watts);
    curves.of_device.push_back(devices[i].above(device.idle_watts, end_ns));
  }
  return curves;
}

}  // namespace stint
