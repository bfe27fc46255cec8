#include "platforms/platform_json.hpp"

#include <charconv>
#include <map>

#include "files/json_reader.hpp"
#include "files/text_file.hpp"
#include "platforms/check_platform.hpp"

namespace stint {
namespace {

using MemoriesByName = std::map<std::string, MemoryId>;

const std::vector<std::pair<std::string_view, MemoryKind>> memory_kinds = {
    {"ram", MemoryKind::ram}, {"device", MemoryKind::device}, {"storage", MemoryKind::storage}};
const std::vector<std::pair<std::string_view, Settable>> settables = {
    {"none", Settable::none}, {"run", Settable::run}, {"action", Settable::action}};
const std::vector<std::pair<std::string_view, StateScope>> state_scopes = {
    {"worker", StateScope::worker}, {"device", StateScope::device}};

template <typename Enum>
std::string word_of(const std::vector<std::pair<std::string_view, Enum>>& words, Enum value) {
  for (const auto& [word, meaning] : words) {
    if (meaning == value) return std::string(word);
  }
  return "";
}

MemoryId find(const MemoriesByName& memories, const JsonReader& name) {
  const auto found = memories.find(name.text());
  if (found != memories.end()) return found->second;
  std::string all;
  for (const auto& [known, id] : memories) all += (all.empty() ? "" : ", ") + known;
  name.fail("there is no memory " + in_quotes(name.text()) + " here; expected " +
            (all.empty() ? "one that is listed" : "one of " + all));
}

std::map<std::string, Quantity> read_quantities(const JsonReader& reader) {
  std::map<std::string, Quantity> quantities;
  for (const auto& [key, value] : reader.members()) quantities[key] = value.quantity();
  return quantities;
}

Memory read_memory(const JsonReader& reader, NodeId node) {
  reader.expect_only({"name", "bytes", "alignment_bytes", "kind", "static_watts"});
  return {.node = node,
          .name = reader.text("name"),
          .bytes = reader.integer("bytes"),
          .alignment_bytes = reader.integer("alignment_bytes", 1),
          .kind = reader.word("kind", MemoryKind::ram, memory_kinds),
          .static_watts = reader.quantity("static_watts", {})};
}

PowerState read_state(const JsonReader& reader) {
  reader.expect_only(
      {"name", "speed", "busy_watts", "busy_watts_by_class", "switch_seconds", "switch_joules"});
  PowerState state{.name = reader.text("name"),
                   .speed = reader.quantity("speed"),
                   .busy_watts = reader.quantity("busy_watts"),
                   .busy_watts_by_class = {},
                   .switch_seconds = reader.quantity("switch_seconds", {}),
                   .switch_joules = reader.quantity("switch_joules", {})};
  if (reader.contains("busy_watts_by_class")) {
    state.busy_watts_by_class = read_quantities(reader.child("busy_watts_by_class"));
  }
  return state;
}

Cache read_cache(const JsonReader& reader) {
  reader.expect_only({"level", "bytes", "shared_by", "joules_per_byte"});
  return {.level = static_cast<int>(reader.child("level").integer(1, most_cache_levels)),
          .bytes = reader.integer("bytes"),
          .shared_by = static_cast<int>(reader.child("shared_by").integer(1, most_workers)),
          .joules_per_byte = reader.quantity("joules_per_byte", {})};
}

// A knot is a key, so a whole number written as text, in the one way to write it.
std::int64_t read_knot(const std::string& key, const JsonReader& reader) {
  std::int64_t knot = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), knot);
  if (error != std::errc{} || knot < 0 || std::to_string(knot) != key) {
    reader.fail("the knot " + in_quotes(key) + "; expected a whole number of at least 0 as text");
  }
  return knot;
}

std::vector<double> read_numbers(const std::vector<JsonReader>& elements) {
  std::vector<double> numbers;
  for (const JsonReader& element : elements) numbers.push_back(element.number());
  return numbers;
}

TimeCorrection read_correction(const JsonReader& reader) {
  reader.expect_only({"features", "widths", "caution", "points"});
  TimeCorrection correction{.widths = read_numbers(reader.elements("widths")),
                            .caution = reader.child("caution").number()};
  for (const JsonReader& feature : reader.elements("features"))
    correction.features.push_back(feature.text());
  for (const JsonReader& point : reader.elements("points")) {
    point.expect_only({"at", "tasks", "factor"});
    correction.points.push_back({.at = read_numbers(point.elements("at")),
                                 .tasks = point.child("tasks").number(),
                                 .factor = point.child("factor").number()});
  }
  if (correction.points.empty())
    reader.child("points").fail("no points; expected at least one, or no correction");
  return correction;
}

TimeModel read_time_model(const JsonReader& reader) {
  reader.expect_only({"terms", "knots", "sigma", "correction"});
  TimeModel model{
      .terms = read_quantities(reader.child("terms")), .knots = {}, .sigma = {}, .correction = {}};
  if (reader.contains("knots")) {
    for (const auto& [feature, knots] : reader.child("knots").members()) {
      auto& of_feature = model.knots[feature];
      for (const auto& [key, slope] : knots.members()) {
        of_feature[read_knot(key, slope)] = slope.quantity();
      }
    }
  }
  if (reader.contains("sigma")) model.sigma = reader.quantity("sigma");
  if (reader.contains("correction")) model.correction = read_correction(reader.child("correction"));
  return model;
}

Kernel read_kernel(const JsonReader& reader) {
  reader.expect_only(
      {"op", "shape", "type", "layout", "algorithm", "weight_order", "workspace_bytes", "seconds"});
  return {.op = reader.text("op"),
          .shape = reader.text("shape", ""),
          .type = reader.text("type", ""),
          .layout = reader.text("layout", ""),
          .algorithm = reader.text("algorithm", ""),
          .weight_order = reader.text("weight_order", ""),
          .workspace_bytes = reader.integer("workspace_bytes", 0),
          .seconds = reader.quantity("seconds")};
}

void read_device_lists(const JsonReader& reader, Device& device) {
  for (const JsonReader& state : reader.elements("states")) {
    device.states.push_back(read_state(state));
  }
  for (const JsonReader& cache : reader.optional_elements("caches")) {
    device.caches.push_back(read_cache(cache));
  }
  if (reader.contains("time_model")) {
    for (const auto& [op, model] : reader.child("time_model").members()) {
      device.time_model[op] = read_time_model(model);
    }
  }
  for (const JsonReader& kernel : reader.optional_elements("kernels")) {
    device.kernels.push_back(read_kernel(kernel));
  }
}

Device read_device(const JsonReader& reader, NodeId node, const MemoriesByName& memories) {
  reader.expect_only({"name", "kind", "memory", "workers", "idle_watts", "active_watts",
                      "wait_watts", "settable", "state_scope", "states", "caches", "time_model",
                      "kernels"});
  Device device;
  device.node = node;
  device.name = reader.text("name");
  device.kind = reader.text("kind");
  device.memory = find(memories, reader.child("memory"));
  device.workers = static_cast<int>(reader.child("workers").integer(1, most_workers_of_a_device));
  device.idle_watts = reader.quantity("idle_watts", {});
  device.active_watts = reader.quantity("active_watts", {});
  device.wait_watts = reader.quantity("wait_watts", {});
  device.settable = reader.word("settable", Settable::none, settables);
  device.state_scope = reader.word("state_scope", StateScope::worker, state_scopes);
  read_device_lists(reader, device);
  return device;
}

Link read_link(const JsonReader& reader, const MemoriesByName& memories, bool network) {
  reader.expect_only({"from", "to", "bytes_per_second", "latency_seconds", "joules_per_byte",
                      "active_watts", "channel", "blocking"});
  return {.from = find(memories, reader.child("from")),
          .to = find(memories, reader.child("to")),
          .network = network,
          .bytes_per_second = reader.quantity("bytes_per_second"),
          .latency_seconds = reader.quantity("latency_seconds", {}),
          .joules_per_byte = reader.quantity("joules_per_byte", {}),
          .active_watts = reader.quantity("active_watts", {}),
          .channel = reader.text("channel", ""),
          .blocking = reader.boolean("blocking", false)};
}

void read_node(const JsonReader& reader, Platform& platform) {
  reader.expect_only({"name", "base_watts", "memories", "devices", "links"});
  const NodeId node{static_cast<int>(platform.nodes.size())};
  platform.nodes.push_back(
      {.name = reader.text("name"), .base_watts = reader.quantity("base_watts", {})});
  MemoriesByName memories;
  for (const JsonReader& memory : reader.optional_elements("memories")) {
    const MemoryId id{static_cast<int>(platform.memories.size())};
    platform.memories.push_back(read_memory(memory, node));
    memories.emplace(platform.memories.back().name, id);
  }
  for (const JsonReader& device : reader.optional_elements("devices")) {
    platform.devices.push_back(read_device(device, node, memories));
  }
  for (const JsonReader& link : reader.optional_elements("links")) {
    platform.links.push_back(read_link(link, memories, false));
  }
}

MemoriesByName memories_by_full_name(const Platform& platform) {
  MemoriesByName memories;
  for (int i = 0; i < static_cast<int>(platform.memories.size()); ++i) {
    const Memory& memory = platform.memories[i];
    memories.emplace(platform.nodes[memory.node].name + '/' + memory.name, MemoryId{i});
  }
  return memories;
}

}  // namespace

std::string to_string(MemoryKind kind) { return word_of(memory_kinds, kind); }
std::string to_string(Settable settable) { return word_of(settables, settable); }
std::string to_string(StateScope scope) { return word_of(state_scopes, scope); }

Platform platform_from_json(const JsonReader& document) {
  document.expect_format("stint-platform", 1);
  document.expect_only({"format", "version", "name", "description", "nodes", "network"});
  Platform platform;
  platform.name = document.text("name");
  platform.description = document.text("description", "");
  for (const JsonReader& node : document.elements("nodes")) read_node(node, platform);
  const MemoriesByName memories = memories_by_full_name(platform);
  for (const JsonReader& link : document.optional_elements("network")) {
    platform.links.push_back(read_link(link, memories, true));
  }
  try {
    check(platform);
  } catch (const InputError& fault) {
    // Its message begins with a pointer into this document.
    throw InputError(document.file(), document.path() + fault.what());
  }
  return platform;
}

Platform parse_platform(const std::string& text, const std::string& file) {
  const nlohmann::json document = parse_json(text, file);
  return platform_from_json(JsonReader(document, file));
}

Platform read_platform(const std::string& path) {
  return parse_platform(read_text(path), path == "-" ? "standard input" : path);
}

}  // namespace stint
