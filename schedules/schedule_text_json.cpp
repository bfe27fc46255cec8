// The writer of schedules: fixed order of keys, one buffer and one action a line. A step may have a
// million actions, so their lines are put together from names quoted once, without a JSON tree.

#include <fmt/format.h>

#include <iterator>

#include "files/json_reader.hpp"
#include "schedules/request_json.hpp"
#include "schedules/schedule.hpp"

namespace stint {
namespace {

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }
std::string number(double value) { return nlohmann::json(value).dump(); }

// A document inside another: without the newline at its end.
std::string embedded(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

// Names as they stand in the file; null for an index that names nothing.
class QuotedNames {
 public:
  template <typename NameOf>
  QuotedNames(std::size_t count, const NameOf& name_of) {
    names_.reserve(count);
    for (int i = 0; i < static_cast<int>(count); ++i) names_.push_back(quoted(name_of(i)));
  }
  const std::string& operator[](int index) const {
    static const std::string nothing = "null";
    return index >= 0 && index < static_cast<int>(names_.size()) ? names_[index] : nothing;
  }

 private:
  std::vector<std::string> names_;
};

QuotedNames state_names(const Device& device) {
  return {device.states.size(), [&](int i) { return device.states[i].name; }};
}

class Lines {
 public:
  explicit Lines(const Schedule& schedule)
      : schedule_(schedule),
        workers_(workers(schedule.platform)),
        worker_names_(workers_.size(), [&](int i) { return workers_[i].name; }),
        memory_names_(schedule.platform.memories.size(),
                      [&](int i) { return memory_name(schedule.platform, MemoryId{i}); }),
        tensor_names_(schedule.graph.tensors.size(),
                      [&](int i) { return schedule.graph.tensors[i].name; }),
        task_names_(schedule.graph.tasks.size(),
                    [&](int i) { return schedule.graph.tasks[i].name; }) {
    for (const Device& device : schedule.platform.devices) {
      state_names_.push_back(state_names(device));
    }
  }

  const std::string& of(const Buffer& buffer) {
    line_.clear();
    add("{{\"id\": {}, \"tensor\": {}, \"memory\": {}", buffer.id, tensor_names_[buffer.tensor],
        memory_names_[buffer.memory]);
    if (buffer.second_offset) {
      add(", \"offsets\": [{}, {}]", buffer.offset, *buffer.second_offset);
    } else {
      add(", \"offset\": {}", buffer.offset);
    }
    add(", \"bytes\": {}", buffer.bytes);
    if (buffer.initial) line_ += ", \"initial\": true";
    if (buffer.within != no_buffer) {
      line_ += ", \"within\": ";
      add_id(schedule_.buffers, buffer.within);
    }
    line_ += '}';
    return line_;
  }

  const std::string& of(const Action& action) {
    line_.clear();
    add("{{\"id\": {}, \"worker\": {}", action.id, worker_names_[action.worker]);
    if (action.what == Do::compute) add_compute(action);
    if (action.what == Do::copy) add_copy(action);
    if (action.what == Do::load) add_load(action);
    add_ids("after", schedule_.actions, action.after);
    if (action.what == Do::compute) {
      add(", \"wait\": \"{}\"", action.wait == Wait::spin ? "spin" : "sleep");
    }
    add_derived("start_seconds", action.start_seconds);
    add_derived("seconds", action.seconds);
    add_derived("joules", action.joules);
    line_ += '}';
    return line_;
  }

 private:
  template <typename... Values>
  void add(fmt::format_string<Values...> form, Values&&... values) {
    fmt::format_to(std::back_inserter(line_), form, std::forward<Values>(values)...);
  }

  template <typename Table>
  void add_id(const Table& table, int index) {
    if (index >= 0 && index < static_cast<int>(table.size())) {
      add("{}", table[index].id);
    } else {
      line_ += "null";
    }
  }

  template <typename Table, typename Id>
  void add_ids(const char* key, const Table& table, const std::vector<Id>& ids) {
    add(", \"{}\": [", key);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (i > 0) line_ += ", ";
      add_id(table, ids[i]);
    }
    line_ += ']';
  }

  void add_compute(const Action& action) {
    add(", \"do\": \"compute\", \"task\": {}", task_names_[action.task]);
    add_ids("reads", schedule_.buffers, action.reads);
    add_ids("writes", schedule_.buffers, action.writes);
    if (!action.updates.empty()) add_ids("updates", schedule_.buffers, action.updates);
    line_ += ", \"workspace\": ";
    add_id(schedule_.buffers, action.workspace);
    const bool on_device = action.worker != no_worker && !workers_[action.worker].is_link();
    const int device = on_device ? workers_[action.worker].device : -1;
    add(", \"state\": {}", device < 0 ? "null" : state_names_[device][action.state]);
  }

  void add_copy(const Action& action) {
    line_ += ", \"do\": \"copy\"";
    add_ids("reads", schedule_.buffers, action.reads);
    add_ids("writes", schedule_.buffers, action.writes);
    if (action.occupies != no_worker) add(", \"occupies\": {}", worker_names_[action.occupies]);
  }

  void add_load(const Action& action) {
    line_ += ", \"do\": \"load\"";
    add_ids("writes", schedule_.buffers, action.writes);
    if (action.for_step != 0) add(", \"for_step\": {}", action.for_step);
  }

  void add_derived(const char* key, const std::optional<double>& value) {
    if (value) add(", \"{}\": {}", key, number(*value));
  }

  const Schedule& schedule_;
  std::vector<Worker> workers_;
  QuotedNames worker_names_;
  QuotedNames memory_names_;
  QuotedNames tensor_names_;
  QuotedNames task_names_;
  std::vector<QuotedNames> state_names_;  // by device
  std::string line_;
};

nlohmann::ordered_json pinned_json(const PinnedKernel& kernel) {
  nlohmann::ordered_json json = {{"device", kernel.device},
                                 {"op", kernel.op},
                                 {"shape", kernel.shape},
                                 {"algorithm", kernel.algorithm}};
  if (!kernel.weight_order.empty()) json["weight_order"] = kernel.weight_order;
  json["workspace_bytes"] = kernel.workspace_bytes;
  return json;
}

nlohmann::ordered_json lowering_json(const Lowering& lowering) {
  nlohmann::ordered_json json = {{"batch", lowering.batch},
                                 {"microbatches", lowering.microbatches}};
  if (lowering.leaves != 1) json["leaves"] = lowering.leaves;
  json["cuts"] = nlohmann::ordered_json::array();
  for (const Cut& cut : lowering.cuts) {
    nlohmann::ordered_json object = {{"layer", cut.layer}};
    if (cut.pieces.empty())
      object["leaves"] = cut.leaves;
    else
      object["pieces"] = cut.pieces;
    json["cuts"].push_back(std::move(object));
  }
  for (const ParameterSplit& split : lowering.splits)
    json["splits"].push_back({{"parameter", split.parameter}, {"ranges", split.ranges}});
  json["replicas"] = lowering.replicas;
  if (lowering.layout != ImageLayout::nhwc) json["layout"] = to_string(lowering.layout);
  if (lowering.fuse) json["fuse"] = true;
  if (!lowering.post_ops.empty()) json["post_ops"] = lowering.post_ops;
  for (const Shard& shard : lowering.shards) json["shards"].push_back(to_json(shard));
  for (const PinnedKernel& kernel : lowering.kernels)
    json["kernels"].push_back(pinned_json(kernel));
  if (!lowering.pipelined.empty()) json["pipelined"] = lowering.pipelined;
  return json;
}

void add_inputs(const Schedule& schedule, JsonText& text) {
  text.value("format", "stint-schedule");
  text.value("version", 1);
  text.value("stint", schedule.stint);
  text.raw("model", embedded(model_text(schedule.model)));
  text.raw("platform", embedded(platform_text(schedule.platform)));
  text.value("model_sha256", schedule.model_sha256);
  text.value("platform_sha256", schedule.platform_sha256);
  text.value("request", to_json(schedule.request));
  text.value("lowering", lowering_json(schedule.lowering));
  text.raw("graph", embedded(graph_text(schedule.graph)));
  text.value("numerics_sha256", schedule.numerics_sha256);
}

}  // namespace

std::string schedule_text(const Schedule& schedule) {
  JsonText text;
  add_inputs(schedule, text);
  text.value("predicted", to_json(schedule.predicted));
  text.value("arenas", to_json(schedule.arenas));
  if (schedule.pipelined) text.value("pipelined", true);
  Lines lines(schedule);
  text.begin_list("buffers");
  for (const Buffer& buffer : schedule.buffers) text.raw_element(lines.of(buffer));
  text.end_list();
  text.begin_list("actions");
  for (const Action& action : schedule.actions) text.raw_element(lines.of(action));
  text.end_list();
  return text.finish() + '\n';
}

}  // namespace stint
