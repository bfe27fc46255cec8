#include <fmt/format.h>

#include "files/json_reader.hpp"
#include "schedules/describe.hpp"
#include "schedules/trace.hpp"
#include "schedules/tracks.hpp"

namespace stint {
namespace {

using Json = nlohmann::ordered_json;

class TraceWriter {
 public:
  TraceWriter(const Schedule& schedule, const Simulation& simulation)
      : schedule_(schedule),
        simulation_(simulation),
        platform_(schedule.platform),
        workers_(workers(schedule.platform)),
        again_(recomputations(schedule)) {
    text_.value("displayTimeUnit", "ms");
    text_.begin_list("traceEvents");
  }

  std::string write() {
    name_processes();
    name_threads();
    add_spans();
    add_memory_counters();
    add_power_counters();
    text_.end_list();
    return text_.finish() + '\n';
  }

 private:
  int pid(NodeId node) const { return 1 + node; }
  int pid(DeviceId device) const { return 1 + static_cast<int>(platform_.nodes.size()) + device; }
  int pid(const Worker& worker) const {
    if (!worker.is_link()) return pid(DeviceId{worker.device});
    return pid(platform_.memories[platform_.links[worker.link].from].node);
  }

  static std::string microseconds(std::int64_t ns) {
    return fmt::format("{}.{:03}", ns / 1000, ns % 1000);
  }

  void name(const char* what, int pid, int tid, const Json& args) {
    text_.element({{"name", what}, {"ph", "M"}, {"pid", pid}, {"tid", tid}, {"args", args}});
  }

  void name_processes() {
    for (int i = 0; i < static_cast<int>(platform_.nodes.size()); ++i) {
      name("process_name", pid(NodeId{i}), 0, {{"name", platform_.nodes[i].name}});
    }
    for (int i = 0; i < static_cast<int>(platform_.devices.size()); ++i) {
      name("process_name", pid(DeviceId{i}), 0, {{"name", device_name(platform_, DeviceId{i})}});
    }
  }

  void name_threads() {
    for (int i = 0; i < static_cast<int>(workers_.size()); ++i) {
      name("thread_name", pid(workers_[i]), 1 + i, {{"name", workers_[i].name}});
      name("thread_sort_index", pid(workers_[i]), 1 + i, {{"sort_index", i}});
    }
  }

  void add_spans() {
    const auto by_worker = tracks(schedule_, simulation_);
    for (int worker = 0; worker < static_cast<int>(by_worker.size()); ++worker) {
      for (const TrackSpan& span : by_worker[worker]) add_span(span, worker);
    }
  }

  void add_span(const TrackSpan& span, int worker) {
    const Action& action = schedule_.actions[span.action];
    const bool again = again_[span.action];
    const Json name = label(schedule_, action) + (again ? " (again)" : "");
    text_.raw_element(fmt::format(
        R"({{"name": {}, "cat": "{}", "ph": "X", "ts": {}, "dur": {}, "pid": {}, "tid": {}, "args": {}}})",
        name.dump(), category(action, again), microseconds(span.start_ns),
        microseconds(span.end_ns - span.start_ns), pid(workers_[worker]), 1 + worker,
        details(span.action).dump()));
  }

  std::string category(const Action& action, bool again) const {
    if (action.what == Do::copy) return "copy";
    if (action.what == Do::load) return "load";
    return again ? "recompute" : to_string(schedule_.graph.tasks[action.task].phase);
  }

  Json details(ActionId id) const {
    const Action& action = schedule_.actions[id];
    Json args = {{"action", action.id}};
    if (action.what == Do::compute) {
      const PowerState* const state = power_state(schedule_, action, workers_);
      args["task"] = schedule_.graph.tasks[action.task].name;
      if (state != nullptr) args["state"] = state->name;
      args["recomputed"] = static_cast<bool>(again_[id]);
    }
    args["bytes"] = bytes_touched(schedule_, action);
    args["joules"] = simulation_.joules[id];
    return args;
  }

  void add_counter(const std::string& name, int pid, std::int64_t ns, const Json& args) {
    text_.raw_element(
        fmt::format(R"({{"name": {}, "ph": "C", "ts": {}, "pid": {}, "tid": 0, "args": {}}})",
                    Json(name).dump(), microseconds(ns), pid, args.dump()));
  }

  void add_memory_counters() {
    const auto curves = byte_curves(schedule_, simulation_);
    for (int i = 0; i < static_cast<int>(curves.size()); ++i) {
      const std::string name = memory_name(platform_, MemoryId{i}) + " bytes";
      for (const ByteLevel& level : curves[i]) {
        add_counter(name, pid(platform_.memories[i].node), level.ns, {{"bytes", level.bytes}});
      }
    }
  }

  void add_power_counters() {
    const PowerCurves curves = power_curves(schedule_, simulation_);
    for (int i = 0; i < static_cast<int>(curves.of_node.size()); ++i) {
      add_power(curves.of_node[i], platform_.nodes[i].name, pid(NodeId{i}));
    }
    for (int i = 0; i < static_cast<int>(curves.of_device.size()); ++i) {
      add_power(curves.of_device[i], device_name(platform_, DeviceId{i}), pid(DeviceId{i}));
    }
  }

  void add_power(const PowerCurve& curve, const std::string& owner, int pid) {
    for (const PowerLevel& level : curve) {
      add_counter(owner + " watts", pid, level.ns, {{"watts", level.watts}});
    }
  }

  const Schedule& schedule_;
  const Simulation& simulation_;
  const Platform& platform_;
  std::vector<Worker> workers_;
  std::vector<bool> again_;
  JsonText text_;
};

}  // namespace

std::string trace_text(const Schedule& schedule, const Simulation& simulation) {
  return TraceWriter(schedule, simulation).write();
}

}  // namespace stint
