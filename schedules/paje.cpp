#include "schedules/paje.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "schedules/colours.hpp"
#include "schedules/describe.hpp"
#include "schedules/tracks.hpp"

namespace stint {
namespace {

// The definitions of the events used, by number, then the hierarchy of types.
constexpr const char* paje_header = R"(%EventDef PajeDefineContainerType 0
%       Alias string
%       Type string
%       Name string
%EndEventDef
%EventDef PajeDefineStateType 1
%       Alias string
%       Type string
%       Name string
%EndEventDef
%EventDef PajeDefineVariableType 2
%       Alias string
%       Type string
%       Name string
%       Color color
%EndEventDef
%EventDef PajeDefineEntityValue 3
%       Alias string
%       Type string
%       Name string
%       Color color
%EndEventDef
%EventDef PajeCreateContainer 4
%       Time date
%       Alias string
%       Type string
%       Container string
%       Name string
%EndEventDef
%EventDef PajeDestroyContainer 5
%       Time date
%       Type string
%       Name string
%EndEventDef
%EventDef PajeSetState 6
%       Time date
%       Type string
%       Container string
%       Value string
%       Action int
%EndEventDef
%EventDef PajeSetVariable 7
%       Time date
%       Type string
%       Container string
%       Value double
%EndEventDef
0 Node 0 Node
0 Memory Node Memory
0 Link Node Link
0 Device Node Device
0 Worker Device Worker
1 LinkState Link "does"
1 WorkerState Worker "does"
2 MemoryBytes Memory "live bytes" "0.2 0.4 0.8"
2 NodeWatts Node "watts" "0.8 0.3 0.2"
2 DeviceWatts Device "watts" "0.8 0.3 0.2"
3 link_idle LinkState idle "0.95 0.95 0.95"
3 worker_idle WorkerState idle "0.95 0.95 0.95"
)";

std::string in_paje_quotes(std::string text) {
  for (char& c : text) {
    if (c == '"') c = '\'';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return '"' + text + '"';
}

std::string seconds_of(std::int64_t ns) {
  return fmt::format("{}.{:09}", ns / 1'000'000'000, ns % 1'000'000'000);
}

class PajeWriter {
 public:
  PajeWriter(const Schedule& schedule, const Simulation& simulation)
      : schedule_(schedule),
        simulation_(simulation),
        platform_(schedule.platform),
        workers_(workers(schedule.platform)),
        again_(recomputations(schedule)) {}

  std::string write() {
    create_containers();
    const auto by_worker = tracks(schedule_, simulation_);
    for (int i = 0; i < static_cast<int>(by_worker.size()); ++i) add_states(by_worker[i], i);
    add_variables();
    std::stable_sort(events_.begin(), events_.end(),
                     [](const Event& a, const Event& b) { return a.ns < b.ns; });
    std::string text = paje_header + definitions_ + containers_;
    for (const Event& event : events_) text += event.line;
    return text + ends_;
  }

 private:
  struct Event {
    std::int64_t ns = 0;
    std::string line;
  };

  // Containers exist throughout; they are destroyed in the reverse order.
  void create(const std::string& alias, const char* type, const std::string& parent,
              const std::string& name) {
    containers_ += fmt::format("4 0 {} {} {} {}\n", alias, type, parent, in_paje_quotes(name));
    const std::string end = seconds_of(nanoseconds(simulation_.makespan_seconds));
    ends_.insert(0, fmt::format("5 {} {} {}\n", end, type, alias));
  }

  static std::string node(NodeId id) { return fmt::format("n{}", static_cast<int>(id)); }

  void create_containers() {
    for (int i = 0; i < static_cast<int>(platform_.nodes.size()); ++i) {
      create(node(NodeId{i}), "Node", "0", platform_.nodes[i].name);
    }
    for (int i = 0; i < static_cast<int>(platform_.memories.size()); ++i) {
      create(fmt::format("m{}", i), "Memory", node(platform_.memories[i].node),
             memory_name(platform_, MemoryId{i}));
    }
    for (int i = 0; i < static_cast<int>(platform_.devices.size()); ++i) {
      create(fmt::format("d{}", i), "Device", node(platform_.devices[i].node),
             device_name(platform_, DeviceId{i}));
    }
    for (int i = 0; i < static_cast<int>(workers_.size()); ++i) create_worker(i);
  }

  void create_worker(int index) {
    const Worker& worker = workers_[index];
    const std::string alias = fmt::format("w{}", index);
    if (worker.is_link()) {
      const MemoryId from = platform_.links[worker.link].from;
      create(alias, "Link", node(platform_.memories[from].node), worker.name);
    } else {
      create(alias, "Worker", fmt::format("d{}", worker.device), worker.name);
    }
  }

  // The alias of what a worker does, defined at its first use. Names are the tasks' and tensors',
  // so that a viewer shows them; colours are by phase.
  const std::string& value_of(const Action& action, bool again, bool on_link) {
    const std::string name = label(schedule_, action) + (again ? " (again)" : "");
    const auto [entry, is_new] = values_.try_emplace((on_link ? "link " : "worker ") + name);
    if (is_new) {
      entry->second = fmt::format("v{}", values_.size());
      definitions_ +=
          fmt::format("3 {} {} {} \"{}\"\n", entry->second, on_link ? "LinkState" : "WorkerState",
                      in_paje_quotes(name), paje_colour(colour_of(schedule_, action, again)));
    }
    return entry->second;
  }

  void set_state(std::int64_t ns, int worker, const std::string& value, std::int64_t action) {
    const char* const type = workers_[worker].is_link() ? "LinkState" : "WorkerState";
    events_.push_back(
        {ns, fmt::format("6 {} {} w{} {} {}\n", seconds_of(ns), type, worker, value, action)});
  }

  void add_states(const std::vector<TrackSpan>& spans, int worker) {
    const bool on_link = workers_[worker].is_link();
    const std::string idle = on_link ? "link_idle" : "worker_idle";
    if (spans.empty() || spans.front().start_ns > 0) set_state(0, worker, idle, -1);
    for (std::size_t i = 0; i < spans.size(); ++i) {
      const Action& action = schedule_.actions[spans[i].action];
      const std::string& value = value_of(action, again_[spans[i].action], on_link);
      set_state(spans[i].start_ns, worker, value, action.id);
      const bool gap = i + 1 == spans.size() || spans[i + 1].start_ns > spans[i].end_ns;
      if (gap) set_state(spans[i].end_ns, worker, idle, -1);
    }
  }

  void set_variable(std::int64_t ns, const char* type, const std::string& owner, double value) {
    events_.push_back({ns, fmt::format("7 {} {} {} {}\n", seconds_of(ns), type, owner, value)});
  }

  void add_variables() {
    const auto bytes = byte_curves(schedule_, simulation_);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      for (const ByteLevel& level : bytes[i]) {
        set_variable(level.ns, "MemoryBytes", fmt::format("m{}", i),
                     static_cast<double>(level.bytes));
      }
    }
    const PowerCurves watts = power_curves(schedule_, simulation_);
    add_watts(watts.of_node, "NodeWatts", 'n');
    add_watts(watts.of_device, "DeviceWatts", 'd');
  }

  void add_watts(const std::vector<PowerCurve>& curves, const char* type, char prefix) {
    for (std::size_t i = 0; i < curves.size(); ++i) {
      for (const PowerLevel& level : curves[i]) {
        set_variable(level.ns, type, fmt::format("{}{}", prefix, i), level.watts);
      }
    }
  }

  const Schedule& schedule_;
  const Simulation& simulation_;
  const Platform& platform_;
  std::vector<Worker> workers_;
  std::vector<bool> again_;
  std::unordered_map<std::string, std::string> values_;
  std::string definitions_;
  std::string containers_;
  std::vector<Event> events_;
  std::string ends_;
};

}  // namespace

std::string paje_text(const Schedule& schedule, const Simulation& simulation) {
  return PajeWriter(schedule, simulation).write();
}

}  // namespace stint
