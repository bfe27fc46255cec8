// The reader of schedules. The shape of the file is checked here and faults are thrown; a name that
// names nothing is noted instead, see resolve_json.hpp. The writer is in schedule_text_json.cpp.

#include "schedules/schedule_json.hpp"

#include "files/text_file.hpp"
#include "models/graph_json.hpp"
#include "models/model_json.hpp"
#include "platforms/platform_json.hpp"
#include "schedules/request_json.hpp"
#include "schedules/resolve_json.hpp"
#include "schedules/schedule.hpp"

namespace stint {
namespace {

const std::vector<std::pair<std::string_view, Do>> do_words = {
    {"compute", Do::compute}, {"copy", Do::copy}, {"load", Do::load}};
const std::vector<std::pair<std::string_view, Wait>> wait_words = {{"spin", Wait::spin},
                                                                   {"sleep", Wait::sleep}};

Cut cut_from_json(const JsonReader& json) {
  json.expect_only({"layer", "leaves", "pieces"});
  Cut cut{.layer = json.text("layer")};
  if (json.contains("leaves") == json.contains("pieces"))
    json.fail("leaves and pieces both, or neither; expected one of them");
  if (json.contains("leaves")) cut.leaves = json.child("leaves").integer(1);
  for (const JsonReader& piece : json.optional_elements("pieces"))
    cut.pieces.push_back(piece.integer(1));
  if (json.contains("pieces") && cut.pieces.empty())
    json.child("pieces").fail("none; expected the leaves of each piece");
  return cut;
}

ParameterSplit split_from_json(const JsonReader& json) {
  json.expect_only({"parameter", "ranges"});
  return {json.text("parameter"), json.child("ranges").integer(1)};
}

PinnedKernel pinned_from_json(const JsonReader& json) {
  json.expect_only({"device", "op", "shape", "algorithm", "weight_order", "workspace_bytes"});
  PinnedKernel kernel{json.text("device"), json.text("op"), json.text("shape"),
                      json.text("algorithm")};
  if (json.contains("weight_order")) kernel.weight_order = json.text("weight_order");
  kernel.workspace_bytes = json.child("workspace_bytes").integer();
  return kernel;
}

Lowering lowering_from_json(const JsonReader& json) {
  json.expect_only({"batch", "microbatches", "leaves", "cuts", "splits", "replicas", "layout",
                    "fuse", "post_ops", "shards", "kernels", "pipelined"});
  Lowering lowering;
  lowering.batch = json.child("batch").integer(1);
  lowering.microbatches = json.child("microbatches").integer(1);
  if (json.contains("leaves")) lowering.leaves = json.child("leaves").integer(1);
  for (const JsonReader& cut : json.elements("cuts")) lowering.cuts.push_back(cut_from_json(cut));
  for (const JsonReader& split : json.optional_elements("splits"))
    lowering.splits.push_back(split_from_json(split));
  lowering.replicas = json.child("replicas").integer(1);
  lowering.layout = layout_from_json(json);
  lowering.fuse = json.boolean("fuse", false);
  for (const JsonReader& post_op : json.optional_elements("post_ops"))
    lowering.post_ops.push_back(post_op.text());
  lowering.shards = shards_from_json(json);
  for (const JsonReader& kernel : json.optional_elements("kernels"))
    lowering.kernels.push_back(pinned_from_json(kernel));
  for (const JsonReader& layer : json.optional_elements("pipelined"))
    lowering.pipelined.push_back(layer.text());
  return lowering;
}

void read_offsets(const JsonReader& json, Buffer& buffer) {
  if (!json.contains("offsets")) {
    buffer.offset = json.child("offset").integer(min_int64);
    return;
  }
  const auto offsets = json.elements("offsets");
  if (json.contains("offset")) json.fail("both offset and offsets; expected one of them");
  if (offsets.size() != 2) json.child("offsets").fail("not two numbers; expected [a, b]");
  buffer.offset = offsets[0].integer(min_int64);
  buffer.second_offset = offsets[1].integer(min_int64);
}

Buffer buffer_from_json(const JsonReader& json, Resolver& names) {
  json.expect_only({"id", "tensor", "memory", "offset", "offsets", "bytes", "initial", "within"});
  Buffer buffer;
  buffer.id = names.next_buffer(json.child("id"));
  const JsonReader tensor = json.child("tensor");
  if (!tensor.is_null()) buffer.tensor = names.tensor(tensor);
  buffer.memory = names.memory(json.child("memory"));
  read_offsets(json, buffer);
  buffer.bytes = json.child("bytes").integer(min_int64);
  buffer.initial = json.boolean("initial", false);
  return buffer;
}

// A part may stand before its whole, so this comes after all buffers have their ids.
void read_buffers(const JsonReader& json, Resolver& names, std::vector<Buffer>& buffers) {
  const auto elements = json.elements();
  buffers.reserve(elements.size());
  for (const JsonReader& element : elements) buffers.push_back(buffer_from_json(element, names));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (elements[i].contains("within"))
      buffers[i].within = names.buffer(elements[i].child("within"));
  }
}

std::vector<BufferId> buffers_from_json(const JsonReader& list, Resolver& names) {
  std::vector<BufferId> buffers;
  for (const JsonReader& id : list.elements()) buffers.push_back(names.buffer(id));
  return buffers;
}

// As above, but null leaves an optional output out.
std::vector<BufferId> outputs_from_json(const JsonReader& list, Resolver& names) {
  std::vector<BufferId> buffers;
  for (const JsonReader& id : list.elements()) {
    buffers.push_back(id.is_null() ? no_buffer : names.buffer(id));
  }
  return buffers;
}

void read_compute(const JsonReader& json, Resolver& names, Action& action) {
  json.expect_only({"id", "worker", "do", "task", "reads", "writes", "updates", "workspace",
                    "state", "after", "wait", "start_seconds", "seconds", "joules"});
  action.task = names.task(json.child("task"));
  action.reads = buffers_from_json(json.child("reads"), names);
  action.writes = outputs_from_json(json.child("writes"), names);
  if (json.contains("updates")) action.updates = buffers_from_json(json.child("updates"), names);
  if (json.has("workspace")) action.workspace = names.buffer(json.child("workspace"));
  if (json.has("state")) action.state = names.state(json.child("state"), action.worker);
  action.wait = json.word("wait", Wait::spin, wait_words);
}

void read_copy(const JsonReader& json, Resolver& names, Action& action) {
  json.expect_only({"id", "worker", "do", "reads", "writes", "occupies", "after", "start_seconds",
                    "seconds", "joules"});
  action.reads = buffers_from_json(json.child("reads"), names);
  action.writes = buffers_from_json(json.child("writes"), names);
  if (json.contains("occupies")) action.occupies = names.worker(json.child("occupies"));
}

void read_load(const JsonReader& json, Resolver& names, Action& action) {
  json.expect_only(
      {"id", "worker", "do", "writes", "for_step", "after", "start_seconds", "seconds", "joules"});
  action.writes = buffers_from_json(json.child("writes"), names);
  if (json.integer("for_step", 0) > 1) {
    json.child("for_step").fail("a step further ahead than the next; expected 0 or 1");
  }
  action.for_step = json.integer("for_step", 0) == 1 ? 1 : 0;
}

std::optional<double> derived(const JsonReader& json, const char* key) {
  if (!json.contains(key)) return std::nullopt;
  return json.child(key).number(any_number);
}

void read_action(const JsonReader& json, Resolver& names, Action& action) {
  action.worker = names.worker(json.child("worker"));
  action.what = json.child("do").word(do_words);
  if (action.what == Do::compute) read_compute(json, names, action);
  if (action.what == Do::copy) read_copy(json, names, action);
  if (action.what == Do::load) read_load(json, names, action);
  for (const JsonReader& id : json.optional_elements("after")) {
    action.after.push_back(names.action(id));
  }
  action.start_seconds = derived(json, "start_seconds");
  action.seconds = derived(json, "seconds");
  action.joules = derived(json, "joules");
}

// An action may come after one that stands later in the file, so ids are read first.
void read_actions(const JsonReader& json, Resolver& names, std::vector<Action>& actions) {
  const auto elements = json.elements();
  actions.resize(elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    actions[i].id = names.next_action(elements[i].child("id"));
  }
  for (std::size_t i = 0; i < elements.size(); ++i) read_action(elements[i], names, actions[i]);
}

void read_inputs(const JsonReader& json, Schedule& schedule) {
  schedule.stint = json.text("stint");
  schedule.model = model_from_json(json.child("model"));
  schedule.platform = platform_from_json(json.child("platform"));
  schedule.model_sha256 = json.text("model_sha256");
  schedule.platform_sha256 = json.text("platform_sha256");
  schedule.request = request_from_json(json.child("request"));
  schedule.lowering = lowering_from_json(json.child("lowering"));
  schedule.graph = graph_from_json(json.child("graph"));
  schedule.numerics_sha256 = json.text("numerics_sha256");
}

void read_plan(const JsonReader& json, Schedule& schedule) {
  Resolver names(schedule);
  names.memories(json.child("request").child("memory"));
  schedule.predicted = predicted_from_json(json.child("predicted"));
  names.memories(json.child("predicted").child("peak_bytes"));
  schedule.arenas = bytes_by_memory(json.child("arenas"));
  names.memories(json.child("arenas"));
  schedule.pipelined = json.boolean("pipelined", false);
  read_buffers(json.child("buffers"), names, schedule.buffers);
  read_actions(json.child("actions"), names, schedule.actions);
}

}  // namespace

Schedule schedule_from_json(const JsonReader& json) {
  json.expect_format("stint-schedule", 1);
  json.expect_only({"format", "version", "stint", "model", "platform", "model_sha256",
                    "platform_sha256", "request", "lowering", "graph", "numerics_sha256",
                    "predicted", "arenas", "pipelined", "buffers", "actions"});
  Schedule schedule;
  read_inputs(json, schedule);
  read_plan(json, schedule);
  return schedule;
}

Schedule parse_schedule(const std::string& text, const std::string& file) {
  const nlohmann::json document = parse_json(text, file);
  return schedule_from_json(JsonReader(document, file));
}

Schedule read_schedule(const std::string& path) {
  return parse_schedule(read_text(path), path == "-" ? "standard input" : path);
}

}  // namespace stint
