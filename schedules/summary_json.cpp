#include "files/json_reader.hpp"
#include "schedules/graph_facts.hpp"
#include "schedules/prices.hpp"
#include "schedules/request_json.hpp"
#include "schedules/summary.hpp"

namespace stint {
namespace {

using Json = nlohmann::ordered_json;

Json violations_json(const std::vector<Violation>& violations) {
  Json list = Json::array();
  for (const auto& [rule, where, what] : violations) {
    list.push_back({{"rule", 'R' + std::to_string(rule)}, {"where", where}, {"what", what}});
  }
  return list;
}

// Seconds in which each worker that has work is busy.
Json busy_json(const Schedule& schedule, const Simulation& simulation) {
  const auto all = workers(schedule.platform);
  const auto by_worker = busy_by_worker(schedule, simulation);
  Json busy = Json::object();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (by_worker[i].actions > 0) busy[all[i].name] = by_worker[i].seconds;
  }
  return busy;
}

Json tasks_json(const GraphFacts& facts) {
  Json tasks = Json::object();
  for (const auto& [phase, count] : facts.tasks_by_phase) tasks[to_string(phase)] = count;
  return tasks;
}

Json tensors_json(const GraphFacts& facts) {
  Json tensors = Json::object();
  for (const auto& [kind, it] : facts.tensors_by_kind) {
    tensors[to_string(kind)] = {{"tensors", it.tensors}, {"bytes", it.bytes}};
  }
  return tensors;
}

Json work_json(const GraphFacts& facts) {
  Json work = Json::object();
  for (const auto& [device, it] : facts.work_by_device) {
    work[device] = {{"tasks", it.tasks},
                    {"seconds", it.seconds},
                    {"critical_path_seconds", it.critical_path_seconds}};
  }
  return work;
}

Json platform_json(const Platform& platform) {
  const std::vector<Price> all = prices(platform);
  Json assumed = Json::array();
  for (const Price& price : all) {
    if (price.quantity.basis == Basis::assumed) assumed.push_back(price.name);
  }
  std::int64_t compute_workers = 0;
  for (const Device& device : platform.devices) compute_workers += device.workers;
  return {{"format", "stint-platform"},
          {"name", platform.name},
          {"nodes", platform.nodes.size()},
          {"devices", platform.devices.size()},
          {"workers", compute_workers},
          {"memories", platform.memories.size()},
          {"links", platform.links.size()},
          {"prices", all.size()},
          {"assumed", assumed}};
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json counters_json(const std::vector<EnergySource>& sources) {
  Json list = Json::array();
  for (const EnergySource& source : sources) {
    Json domains = Json::array();
    for (const EnergyDomain& domain : source.domains)
      domains.push_back({{"domain", domain.name},
                         {"counted", domain.is_added()},
                         {"watts", domain.counter ? Json(domain.probed_watts) : Json(nullptr)},
                         {"why_not", text_or_null(domain.why_not)}});
    list.push_back({{"source", source.name},
                    {"domains", domains},
                    {"why_none", text_or_null(source.why_none)},
                    {"to_type", text_or_null(source.to_type)}});
  }
  return list;
}

Json knobs_json(const std::vector<PowerKnob>& knobs) {
  Json list = Json::array();
  for (const PowerKnob& knob : knobs)
    list.push_back({{"unit", knob.unit},
                    {"quantity", knob.quantity},
                    {"range", text_or_null(knob.range)},
                    {"can_be_set", knob.can_be_set},
                    {"why_not", text_or_null(knob.why_not)},
                    {"to_type", text_or_null(knob.to_type)}});
  return list;
}

}  // namespace

std::string summary_json(const Graph& graph) {
  const GraphFacts facts = graph_facts(graph);
  Json largest = Json::array();
  for (const TensorId id : facts.largest) {
    largest.push_back({{"name", graph.tensors[id].name}, {"bytes", graph.tensors[id].bytes}});
  }
  const Json json = {{"format", "stint-tasks"},
                     {"name", graph.name},
                     {"tasks", graph.tasks.size()},
                     {"tensors", graph.tensors.size()},
                     {"results", graph.results.size()},
                     {"tasks_by_phase", tasks_json(facts)},
                     {"tensors_by_kind", tensors_json(facts)},
                     {"work_by_device", work_json(facts)},
                     {"working_set_bytes", facts.working_set_bytes},
                     {"largest", largest}};
  return json.dump() + '\n';
}

std::string summary_json(const Platform& platform) { return platform_json(platform).dump() + '\n'; }

std::string summary_json(const Platform& platform, const std::vector<EnergySource>& sources,
                         const std::vector<PowerKnob>& knobs) {
  Json json = platform_json(platform);
  json["counters"] = counters_json(sources);
  json["power_states"] = knobs_json(knobs);
  return json.dump() + '\n';
}

std::string summary_json(const Schedule& schedule, const Judged& judged) {
  Json json = {{"format", "stint-schedule"},
               {"model", schedule.graph.name},
               {"platform", schedule.platform.name},
               {"valid", judged.violations.empty()},
               {"violations", violations_json(judged.violations)},
               {"simulated", judged.simulation.has_value()},
               {"actions", schedule.actions.size()},
               {"buffers", schedule.buffers.size()},
               {"request", to_json(schedule.request)},
               {"predicted", to_json(prediction(schedule, judged))},
               {"arenas", to_json(schedule.arenas)}};
  if (judged.simulation) json["busy_seconds"] = busy_json(schedule, *judged.simulation);
  return json.dump() + '\n';
}

}  // namespace stint
