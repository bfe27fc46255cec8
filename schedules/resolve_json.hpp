// Turns the names and ids that a schedule file uses into indices. One that names nothing becomes
// no_worker, no_task and so on, and is noted in `unresolved`: the judge reports it, with all
// others.
//
// For *_json.cpp files only.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "files/json_reader.hpp"
#include "schedules/schedule.hpp"

namespace stint {

class Resolver {
 public:
  // Needs the platform and the graph of the schedule; adds to its `unresolved`.
  explicit Resolver(Schedule& schedule);

  WorkerId worker(const JsonReader& json) {
    return WorkerId{named(workers_by_name_, json, "worker")};
  }
  MemoryId memory(const JsonReader& json) {
    return MemoryId{named(memories_by_name_, json, "memory")};
  }
  TensorId tensor(const JsonReader& json) {
    return TensorId{named(tensors_by_name_, json, "tensor")};
  }
  TaskId task(const JsonReader& json) { return TaskId{named(tasks_by_name_, json, "task")}; }
  BufferId buffer(const JsonReader& json) {
    return BufferId{numbered(buffers_by_id_, json, "buffer")};
  }
  ActionId action(const JsonReader& json) {
    return ActionId{numbered(actions_by_id_, json, "action")};
  }

  // An index into the power states of the worker's device; -2 if it has no such state. Links have
  // no states at all: that one computes is the fault to report then, so its state is taken as the
  // first.
  int state(const JsonReader& json, WorkerId worker);

  // The id of the next buffer or action, which others may refer to from now on.
  std::int64_t next_buffer(const JsonReader& id) { return enter(buffers_by_id_, id, "buffer"); }
  std::int64_t next_action(const JsonReader& id) { return enter(actions_by_id_, id, "action"); }

  // An object whose keys are memories.
  void memories(const JsonReader& object);

 private:
  using ByName = std::unordered_map<std::string, int>;
  struct ById {
    std::unordered_map<std::int64_t, int> positions;
    int count = 0;  // entries seen, those with an id that was taken included
  };

  int named(const ByName& table, const JsonReader& json, const char* kind);
  int numbered(const ById& table, const JsonReader& json, const char* kind);
  std::int64_t enter(ById& table, const JsonReader& id, const char* kind);
  void note(const JsonReader& json, const std::string& fault);

  const Platform& platform_;
  std::vector<Unresolved>& unresolved_;
  std::vector<Worker> workers_;
  ByName workers_by_name_;
  ByName memories_by_name_;
  ByName tensors_by_name_;
  ByName tasks_by_name_;
  ById buffers_by_id_;
  ById actions_by_id_;
};

}  // namespace stint
