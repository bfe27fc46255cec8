#include "schedules/resolve_json.hpp"

#include <fmt/format.h>

namespace stint {
namespace {

constexpr int no_such_state = -2;

// What `name_of(i)` gives for every i below `count`, by name.
template <typename NameOf>
std::unordered_map<std::string, int> by_name(std::size_t count, const NameOf& name_of) {
  std::unordered_map<std::string, int> table;
  table.reserve(count);
  for (int i = 0; i < static_cast<int>(count); ++i) table.emplace(name_of(i), i);
  return table;
}

}  // namespace

Resolver::Resolver(Schedule& schedule)
    : platform_(schedule.platform),
      unresolved_(schedule.unresolved),
      workers_(workers(schedule.platform)) {
  const Graph& graph = schedule.graph;
  workers_by_name_ = by_name(workers_.size(), [&](int i) { return workers_[i].name; });
  memories_by_name_ = by_name(platform_.memories.size(),
                              [&](int i) { return memory_name(platform_, MemoryId{i}); });
  tensors_by_name_ = by_name(graph.tensors.size(), [&](int i) { return graph.tensors[i].name; });
  tasks_by_name_ = by_name(graph.tasks.size(), [&](int i) { return graph.tasks[i].name; });
}

int Resolver::state(const JsonReader& json, WorkerId worker) {
  const std::string name = json.text();
  if (worker == no_worker || workers_[worker].is_link()) return -1;
  const auto& states = platform_.devices[workers_[worker].device].states;
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (states[i].name == name) return static_cast<int>(i);
  }
  note(json, fmt::format("{} has no power state {}; expected one of its device",
                         workers_[worker].name, in_quotes(name)));
  return no_such_state;
}

void Resolver::memories(const JsonReader& object) {
  for (const auto& [name, value] : object.members()) {
    if (memories_by_name_.contains(name)) continue;
    note(value, "no memory named " + in_quotes(name) + "; expected one of the platform");
  }
}

int Resolver::named(const ByName& table, const JsonReader& json, const char* kind) {
  const std::string name = json.text();
  const auto found = table.find(name);
  if (found != table.end()) return found->second;
  note(json, fmt::format("no {} named {}; expected one that exists", kind, in_quotes(name)));
  return -1;
}

int Resolver::numbered(const ById& table, const JsonReader& json, const char* kind) {
  const std::int64_t id = json.integer(min_int64);
  const auto found = table.positions.find(id);
  if (found != table.positions.end()) return found->second;
  note(json, fmt::format("no {} has the id {}; expected one that exists", kind, id));
  return -1;
}

std::int64_t Resolver::enter(ById& table, const JsonReader& id, const char* kind) {
  const std::int64_t number = id.integer(min_int64);
  const auto [entry, is_new] = table.positions.emplace(number, table.count++);
  if (!is_new) {
    note(id,
         fmt::format("the id {} is that of the {} at position {} as well; expected one of its own",
                     number, kind, entry->second));
  }
  return number;
}

void Resolver::note(const JsonReader& json, const std::string& fault) {
  unresolved_.push_back({json.path(), one_line(fault)});
}

}  // namespace stint
