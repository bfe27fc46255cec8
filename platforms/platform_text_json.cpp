#include <algorithm>

#include "files/json_reader.hpp"
#include "platforms/names.hpp"
#include "platforms/platform.hpp"

namespace stint {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t line_width = 160;

// All elements or members of a list or an object, each written by `inner(value, key)`.
template <typename Inner>
std::string joined(const Json& value, const std::string& opening, const std::string& separator,
                   const Inner& inner) {
  std::string text;
  for (const auto& [key, item] : value.items()) {
    const std::string label = value.is_object() ? Json(key).dump() + ": " : "";
    text += (text.empty() ? opening : separator) + label + inner(item, label);
  }
  return value.is_object() ? '{' + text + '}' : '[' + text + ']';
}

std::string on_one_line(const Json& value) {
  if (!value.is_structured()) return value.dump();
  return joined(value, "", ", ",
                [](const Json& item, const std::string&) { return on_one_line(item); });
}

// On one line if it ends before the margin, else an element or a member a line.
std::string laid_out(const Json& value, std::size_t indent, std::size_t column) {
  const std::string line = on_one_line(value);
  if (!value.is_structured() || column + line.size() <= line_width) return line;
  const std::string margin = '\n' + std::string(indent + 1, ' ');
  return joined(value, value.is_array() || column > indent ? margin : "", ',' + margin,
                [&](const Json& item, const std::string& label) {
                  return laid_out(item, indent + 1, indent + 1 + label.size());
                });
}

void put(Json& object, const char* key, const Quantity& quantity) {
  if (quantity != Quantity{}) object[key] = to_json(quantity);
}

template <typename Value>
void put_unless(Json& object, const char* key, const Value& value, const Value& otherwise) {
  if (value != otherwise) object[key] = value;
}

void put_list(Json& object, const char* key, Json list) {
  if (!list.empty()) object[key] = std::move(list);
}

Json quantities_json(const std::map<std::string, Quantity>& quantities) {
  Json object = Json::object();
  for (const auto& [key, quantity] : quantities) object[key] = to_json(quantity);
  return object;
}

Json memory_json(const Memory& memory) {
  Json object = {{"name", memory.name}, {"bytes", memory.bytes}};
  put_unless(object, "kind", to_string(memory.kind), to_string(MemoryKind::ram));
  put_unless(object, "alignment_bytes", memory.alignment_bytes, std::int64_t{1});
  put(object, "static_watts", memory.static_watts);
  return object;
}

Json state_json(const PowerState& state) {
  Json object = {{"name", state.name},
                 {"speed", to_json(state.speed)},
                 {"busy_watts", to_json(state.busy_watts)}};
  put_list(object, "busy_watts_by_class", quantities_json(state.busy_watts_by_class));
  put(object, "switch_seconds", state.switch_seconds);
  put(object, "switch_joules", state.switch_joules);
  return object;
}

Json cache_json(const Cache& cache) {
  Json object = {{"level", cache.level}, {"bytes", cache.bytes}, {"shared_by", cache.shared_by}};
  put(object, "joules_per_byte", cache.joules_per_byte);
  return object;
}

Json correction_json(const TimeCorrection& correction) {
  Json points = Json::array();
  for (const auto& [at, tasks, factor] : correction.points)
    points.push_back({{"at", at}, {"tasks", tasks}, {"factor", factor}});
  return {{"features", correction.features},
          {"widths", correction.widths},
          {"caution", correction.caution},
          {"points", std::move(points)}};
}

Json time_model_json(const TimeModel& model) {
  Json object = {{"terms", quantities_json(model.terms)}};
  Json knots = Json::object();
  for (const auto& [feature, slopes] : model.knots) {
    knots[feature] = Json::object();
    for (const auto& [knot, slope] : slopes) knots[feature][std::to_string(knot)] = to_json(slope);
  }
  put_list(object, "knots", std::move(knots));
  if (model.sigma) object["sigma"] = to_json(*model.sigma);
  if (!model.correction.points.empty()) object["correction"] = correction_json(model.correction);
  return object;
}

Json kernel_json(const Kernel& kernel) {
  Json object = {{"op", kernel.op}};
  const std::string none;
  put_unless(object, "shape", kernel.shape, none);
  put_unless(object, "type", kernel.type, none);
  put_unless(object, "layout", kernel.layout, none);
  put_unless(object, "algorithm", kernel.algorithm, none);
  put_unless(object, "weight_order", kernel.weight_order, none);
  put_unless(object, "workspace_bytes", kernel.workspace_bytes, std::int64_t{0});
  object["seconds"] = to_json(kernel.seconds);
  return object;
}

template <typename Item, typename ToJson>
Json list_json(const std::vector<Item>& items, const ToJson& item_json) {
  Json list = Json::array();
  for (const Item& item : items) list.push_back(item_json(item));
  return list;
}

Json device_json(const Platform& platform, const Device& device) {
  Json object = {{"name", device.name},
                 {"kind", device.kind},
                 {"memory", platform.memories[device.memory].name},
                 {"workers", device.workers}};
  put(object, "idle_watts", device.idle_watts);
  put(object, "active_watts", device.active_watts);
  put(object, "wait_watts", device.wait_watts);
  put_unless(object, "settable", to_string(device.settable), to_string(Settable::none));
  put_unless(object, "state_scope", to_string(device.state_scope), to_string(StateScope::worker));
  object["states"] = list_json(device.states, state_json);
  put_list(object, "caches", list_json(device.caches, cache_json));
  Json time_model = Json::object();
  for (const auto& [op, model] : device.time_model) time_model[op] = time_model_json(model);
  put_list(object, "time_model", std::move(time_model));
  put_list(object, "kernels", list_json(device.kernels, kernel_json));
  return object;
}

Json link_json(const Platform& platform, const Link& link) {
  const auto end = [&](MemoryId memory) {
    return link.network ? memory_name(platform, memory) : platform.memories[memory].name;
  };
  Json object = {{"from", end(link.from)},
                 {"to", end(link.to)},
                 {"bytes_per_second", to_json(link.bytes_per_second)}};
  put(object, "latency_seconds", link.latency_seconds);
  put(object, "joules_per_byte", link.joules_per_byte);
  put(object, "active_watts", link.active_watts);
  put_unless(object, "channel", link.channel, std::string());
  put_unless(object, "blocking", link.blocking, false);
  return object;
}

// The lists of one node.
struct NodeLists {
  Json memories = Json::array();
  Json devices = Json::array();
  Json links = Json::array();
};

std::vector<NodeLists> lists_by_node(const Platform& platform) {
  std::vector<NodeLists> lists(platform.nodes.size());
  for (const Memory& memory : platform.memories) {
    lists[memory.node].memories.push_back(memory_json(memory));
  }
  for (const Device& device : platform.devices) {
    lists[device.node].devices.push_back(device_json(platform, device));
  }
  for (const Link& link : platform.links) {
    if (link.network) continue;
    lists[platform.memories[link.from].node].links.push_back(link_json(platform, link));
  }
  return lists;
}

Json nodes_json(const Platform& platform) {
  std::vector<NodeLists> lists = lists_by_node(platform);
  Json nodes = Json::array();
  for (std::size_t i = 0; i < lists.size(); ++i) {
    Json object = {{"name", platform.nodes[i].name}};
    put(object, "base_watts", platform.nodes[i].base_watts);
    put_list(object, "memories", std::move(lists[i].memories));
    put_list(object, "devices", std::move(lists[i].devices));
    put_list(object, "links", std::move(lists[i].links));
    nodes.push_back(std::move(object));
  }
  return nodes;
}

}  // namespace

std::string platform_text(const Platform& platform) {
  Json document = {{"format", "stint-platform"}, {"version", 1}, {"name", platform.name}};
  put_unless(document, "description", platform.description, std::string());
  document["nodes"] = nodes_json(platform);
  Json network = Json::array();
  for (const Link& link : platform.links) {
    if (link.network) network.push_back(link_json(platform, link));
  }
  put_list(document, "network", std::move(network));
  return laid_out(document, 0, 0);
}

}  // namespace stint
