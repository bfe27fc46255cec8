#include "models/graph_json.hpp"

#include <algorithm>

#include "files/text_file.hpp"
#include "models/parts.hpp"

namespace stint {
namespace {

using Ids = std::map<std::string, TensorId>;

const std::vector<std::pair<std::string_view, Kind>> kind_words = {
    {"activation", Kind::activation}, {"input", Kind::input}, {"state", Kind::state}};

const std::vector<std::pair<std::string_view, Phase>> phase_words = {{"forward", Phase::forward},
                                                                     {"loss", Phase::loss},
                                                                     {"backward", Phase::backward},
                                                                     {"update", Phase::update},
                                                                     {"other", Phase::other}};

template <typename Enum>
std::string word_for(Enum meaning, const std::vector<std::pair<std::string_view, Enum>>& words) {
  const auto same = [&](const auto& word) { return word.second == meaning; };
  return std::string(std::find_if(words.begin(), words.end(), same)->first);
}

TensorId tensor_named(const JsonReader& name, const std::string& text, const Ids& ids) {
  const auto found = ids.find(text);
  if (found == ids.end()) {
    name.fail("no tensor is named " + in_quotes(text) + "; expected the name of a tensor");
  }
  return found->second;
}

std::vector<TensorId> read_names(const JsonReader& owner, const char* key, const Ids& ids) {
  std::vector<TensorId> list;
  for (const JsonReader& name : owner.optional_elements(key)) {
    list.push_back(tensor_named(name, name.text(), ids));
  }
  return list;
}

PartOf read_part_of(const JsonReader& part_of, const Ids& ids) {
  part_of.expect_only({"tensor", "offset_bytes"});
  const JsonReader whole = part_of.child("tensor");
  return {tensor_named(whole, whole.text(), ids), part_of.integer("offset_bytes", 0)};
}

// A part that does not state its kind is of its whole's.
void inherit_kinds(const std::vector<JsonReader>& elements, Graph& graph) {
  for (const TensorId id : wholes_first(graph)) {
    Tensor& tensor = graph.tensors[id];
    if (tensor.part_of && !elements[id].contains("kind")) {
      tensor.kind = graph.tensors[tensor.part_of->tensor].kind;
    }
  }
}

Ids read_tensors(const JsonReader& list, Graph& graph) {
  const auto elements = list.elements();
  for (const JsonReader& element : elements) {
    element.expect_only({"name", "bytes", "kind", "part_of"});
    graph.tensors.push_back({.name = element.text("name"),
                             .bytes = element.integer("bytes"),
                             .kind = element.word("kind", Kind::activation, kind_words),
                             .part_of = {}});
  }
  Ids ids = tensors_by_name(graph);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (!elements[i].contains("part_of")) continue;
    graph.tensors[i].part_of = read_part_of(elements[i].child("part_of"), ids);
  }
  inherit_kinds(elements, graph);
  return ids;
}

std::vector<std::pair<TensorId, TensorId>> read_may_overwrite(const JsonReader& task,
                                                              const Ids& ids) {
  std::vector<std::pair<TensorId, TensorId>> pairs;
  if (!task.contains("may_overwrite")) return pairs;
  for (const auto& [y, x] : task.child("may_overwrite").members()) {
    pairs.emplace_back(tensor_named(x, y, ids), tensor_named(x, x.text(), ids));
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

std::map<std::string, Quantity> read_seconds(const JsonReader& task) {
  std::map<std::string, Quantity> seconds;
  if (!task.contains("seconds")) return seconds;
  for (const auto& [device, value] : task.child("seconds").members()) {
    seconds.emplace(device, value.quantity());
  }
  return seconds;
}

std::map<std::string, double> read_features(const JsonReader& task) {
  std::map<std::string, double> features;
  if (!task.contains("features")) return features;
  for (const auto& [name, value] : task.child("features").members()) {
    features.emplace(name, value.quantity());
  }
  return features;
}

std::optional<Parallel> read_parallel(const JsonReader& task) {
  if (!task.contains("parallel")) return {};
  const JsonReader parallel = task.child("parallel");
  parallel.expect_only({"max_workers", "serial_fraction"});
  const auto workers = parallel.child("max_workers").integer(1, std::numeric_limits<int>::max());
  return Parallel{static_cast<int>(workers), parallel.quantity("serial_fraction", 0.0)};
}

Task read_task(const JsonReader& task, const Ids& ids) {
  task.expect_only({"name", "phase", "reads", "writes", "updates", "optional", "may_overwrite",
                    "workspace_bytes", "seconds", "op", "flops", "bytes_moved", "shape", "features",
                    "parallel"});
  return {.name = task.text("name"),
          .phase = task.word("phase", Phase::other, phase_words),
          .reads = read_names(task, "reads", ids),
          .writes = read_names(task, "writes", ids),
          .updates = read_names(task, "updates", ids),
          .optional = read_names(task, "optional", ids),
          .may_overwrite = read_may_overwrite(task, ids),
          .workspace_bytes = task.integer("workspace_bytes", 0),
          .seconds = read_seconds(task),
          .op = task.text("op", ""),
          .flops = task.quantity("flops", 0.0),
          .bytes_moved = task.quantity("bytes_moved", 0.0),
          .shape = task.text("shape", ""),
          .features = read_features(task),
          .parallel = read_parallel(task)};
}

class GraphText {
 public:
  explicit GraphText(const Graph& graph) : graph_(graph) {}

  std::string write() {
    text_.reserve(64 * graph_.tensors.size() + 128 * graph_.tasks.size());
    text_.value("format", "stint-tasks");
    text_.value("version", 1);
    text_.value("name", graph_.name);
    if (!graph_.description.empty()) text_.value("description", graph_.description);
    text_.begin_list("tensors");
    for (const Tensor& tensor : graph_.tensors) text_.element(tensor_json(tensor));
    text_.end_list();
    text_.begin_list("tasks");
    for (const Task& task : graph_.tasks) text_.element(task_json(task));
    text_.end_list();
    text_.value("results", names(graph_.results));
    return text_.finish();
  }

 private:
  using Json = nlohmann::ordered_json;

  const std::string& name(TensorId tensor) const { return graph_.tensors[tensor].name; }

  Json names(const std::vector<TensorId>& tensors) const {
    Json list = Json::array();
    for (const TensorId tensor : tensors) list.push_back(name(tensor));
    return list;
  }

  Json tensor_json(const Tensor& tensor) const {
    Json json = {{"name", tensor.name}, {"bytes", tensor.bytes}};
    if (tensor.part_of) {
      json["part_of"] = {{"tensor", name(tensor.part_of->tensor)},
                         {"offset_bytes", tensor.part_of->offset_bytes}};
    } else if (tensor.kind != Kind::activation) {
      json["kind"] = to_string(tensor.kind);
    }
    return json;
  }

  Json task_json(const Task& task) const {
    Json json = {{"name", task.name}};
    if (task.phase != Phase::other) json["phase"] = to_string(task.phase);
    add_lists(task, json);
    if (task.workspace_bytes != 0) json["workspace_bytes"] = task.workspace_bytes;
    for (const auto& [device, seconds] : task.seconds) json["seconds"][device] = to_json(seconds);
    if (!task.op.empty()) json["op"] = task.op;
    if (task.flops != 0) json["flops"] = task.flops;
    if (task.bytes_moved != 0) json["bytes_moved"] = task.bytes_moved;
    if (!task.shape.empty()) json["shape"] = task.shape;
    for (const auto& [feature, value] : task.features) json["features"][feature] = value;
    if (task.parallel) json["parallel"] = parallel_json(*task.parallel);
    return json;
  }

  void add_lists(const Task& task, Json& json) const {
    if (!task.reads.empty()) json["reads"] = names(task.reads);
    if (!task.writes.empty()) json["writes"] = names(task.writes);
    if (!task.updates.empty()) json["updates"] = names(task.updates);
    if (!task.optional.empty()) json["optional"] = names(task.optional);
    for (const auto& [y, x] : task.may_overwrite) json["may_overwrite"][name(y)] = name(x);
  }

  static Json parallel_json(const Parallel& parallel) {
    Json json = {{"max_workers", parallel.max_workers}};
    if (parallel.serial_fraction != 0) json["serial_fraction"] = parallel.serial_fraction;
    return json;
  }

  const Graph& graph_;
  JsonText text_;
};

}  // namespace

std::string to_string(Kind kind) { return word_for(kind, kind_words); }
std::string to_string(Phase phase) { return word_for(phase, phase_words); }

Graph graph_from_json(const JsonReader& document) {
  document.expect_format("stint-tasks", 1);
  document.expect_only({"format", "version", "name", "description", "tensors", "tasks", "results"});
  Graph graph;
  graph.name = document.text("name");
  graph.description = document.text("description", "");
  const Ids ids = read_tensors(document.child("tensors"), graph);
  for (const JsonReader& task : document.elements("tasks")) {
    graph.tasks.push_back(read_task(task, ids));
  }
  graph.results = read_names(document, "results", ids);
  try {
    check(graph);
  } catch (const InputError& fault) {
    // Its message begins with a pointer into this document.
    throw InputError(document.file(), document.path() + fault.what());
  }
  return graph;
}

Graph parse_graph(const std::string& text, const std::string& file) {
  const nlohmann::json document = parse_json(text, file);
  return graph_from_json({document, file});
}

Graph read_graph(const std::string& path) {
  return parse_graph(read_text(path), path == "-" ? "standard input" : path);
}

std::string graph_text(const Graph& graph) { return GraphText(graph).write(); }

}  // namespace stint
