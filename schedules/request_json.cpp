#include "schedules/request_json.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "files/sha256.hpp"
#include "platforms/names.hpp"
#include "schedules/numerics.hpp"

namespace stint {
namespace {

const std::vector<std::pair<std::string_view, Objective>> objective_words = {
    {"energy", Objective::energy},
    {"time", Objective::time},
    {"edp", Objective::edp},
    {"memory", Objective::memory}};

const std::vector<std::pair<std::string_view, ImageLayout>> layout_words = {
    {"nhwc", ImageLayout::nhwc}, {"nchw", ImageLayout::nchw}};

const std::vector<ShardBy> shard_words = {ShardBy::columns, ShardBy::rows, ShardBy::channels,
                                          ShardBy::heads};

const std::string period_prefix = "period=";

std::optional<double> period_seconds(const std::string& text) {
  if (!text.starts_with(period_prefix)) return std::nullopt;
  double seconds = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + period_prefix.size(), end, seconds);
  const bool good = error == std::errc{} && stop == end && std::isfinite(seconds) && seconds > 0;
  return good ? std::optional(seconds) : std::nullopt;
}

Proof proof_from_json(const JsonReader& json) {
  json.expect_only({"name", "value", "lower_bound", "gap", "bound_by"});
  return {objective_from_json(json.child("name")), json.child("value").number(any_number),
          json.child("lower_bound").number(any_number), json.child("gap").number(any_number),
          json.text("bound_by")};
}

std::int64_t grain_from_json(const JsonReader& json) {
  if (!json.contains("grain")) return 0;
  const JsonReader grain = json.child("grain");
  return grain.is_text() ? grain.word<std::int64_t>({{"auto", auto_grain}}) : grain.integer();
}

nlohmann::ordered_json to_json(const Proof& proof) {
  return {{"name", to_string(proof.objective)},
          {"value", proof.value},
          {"lower_bound", proof.lower_bound},
          {"gap", proof.gap},
          {"bound_by", proof.bound_by}};
}

// The text up to `end`, which goes with it.
std::string cut_off(std::string& text, const std::string& end) {
  const std::size_t at = text.find(end);
  const std::string first = text.substr(0, at);
  text = at == std::string::npos ? "" : text.substr(at + end.size());
  return first;
}

// A product and its post-ops are as many kernels, and which of them are one task is for memory to
// say: "linear_then_gelu.forward" by "a, then b" is "linear.forward" by "a" and "gelu.forward" by
// "b". With a ReLU alone they are always one, and stay so.
void add_one_by_one(const PinnedKernel& kernel, std::set<std::string>& algorithms) {
  std::string layers = kernel.op.substr(0, kernel.op.find('.'));
  std::string each = kernel.algorithm;
  std::string layer = cut_off(layers, "_then_");
  if (layers == "relu" || layers == "relu_pool") {
    algorithms.insert(kernel.device + " " + kernel.op + " " + kernel.algorithm);
    return;
  }
  for (; !layer.empty(); layer = cut_off(layers, "_"))
    algorithms.insert(kernel.device + " " + layer + ".forward " + cut_off(each, ", then "));
}

// By op, not by shape: a layer in pieces runs the same kernels, and merges of pieces are what the
// tree of leaves is anyway.
std::set<std::string> pinned_algorithms(const Lowering& lowering) {
  std::set<std::string> algorithms;
  for (const PinnedKernel& kernel : lowering.kernels) {
    const bool computes =
        kernel.op != "sum" && kernel.op != "batch_norm.merge" && !kernel.op.starts_with("reorder");
    if (!computes) continue;
    if (lowering.post_ops.empty() || kernel.op.find("_then_") == std::string::npos)
      algorithms.insert(kernel.device + " " + kernel.op + " " + kernel.algorithm);
    else
      add_one_by_one(kernel, algorithms);
  }
  return algorithms;
}

// Heads are computed one by one, whoever has which of them.
std::map<std::string, nlohmann::ordered_json> summing_shards(const Request& request) {
  std::map<std::string, nlohmann::ordered_json> by_layer;
  for (const Shard& shard : request.shards) {
    if (shard.by != ShardBy::heads && shard.count > 1) by_layer[shard.layer] = to_json(shard);
  }
  return by_layer;
}

}  // namespace

Objective objective_from_json(const JsonReader& json) { return json.word(objective_words); }

ImageLayout layout_from_json(const JsonReader& json) {
  return json.word("layout", ImageLayout::nhwc, layout_words);
}

std::vector<Shard> shards_from_json(const JsonReader& json) {
  std::vector<Shard> shards;
  for (const JsonReader& element : json.optional_elements("shards")) {
    element.expect_only({"layer", "columns", "rows", "channels", "heads"});
    Shard shard{.layer = element.text("layer"), .count = 0};
    for (const ShardBy by : shard_words) {
      const std::string key = to_string(by);
      if (!element.contains(key.c_str())) continue;
      if (shard.count != 0) element.fail("cut in two ways; expected one of them");
      shard.by = by;
      shard.count = element.child(key.c_str()).integer(1);
    }
    if (shard.count == 0) element.fail("not cut; expected columns, rows, channels or heads");
    shards.push_back(std::move(shard));
  }
  return shards;
}

nlohmann::ordered_json to_json(const Shard& shard) {
  return {{"layer", shard.layer}, {to_string(shard.by), shard.count}};
}

std::string to_string(Objective objective) {
  for (const auto& [name, meaning] : objective_words) {
    if (meaning == objective) return std::string(name);
  }
  return "unknown";
}

std::string bill_text(const Request& request) {
  if (request.bill == Bill::makespan) return "makespan";
  if (request.bill == Bill::deadline) return "deadline";
  return period_prefix + nlohmann::json(request.period_seconds).dump();
}

void set_bill(Request& request, const std::string& text, const std::string& where) {
  const auto period = period_seconds(text);
  if (text != "makespan" && text != "deadline" && !period) {
    throw InputError(where, "the bill " + in_quotes(text) +
                                "; expected makespan, deadline or period=SECONDS above 0");
  }
  request.bill = period ? Bill::period : text == "deadline" ? Bill::deadline : Bill::makespan;
  request.period_seconds = period.value_or(0);
}

namespace {

nlohmann::ordered_json numerics_of(const std::string& model_sha256, const Request& request,
                                   const Lowering& lowering) {
  nlohmann::ordered_json numerics = {{"model", model_sha256},
                                     {"batch", request.batch},
                                     {"microbatches", request.microbatches},
                                     {"leaves", request.leaves},
                                     {"kernels", "synthetic"}};
  if (request.layout != ImageLayout::nhwc) numerics["layout"] = to_string(request.layout);
  for (const auto& [layer, shard] : summing_shards(request)) numerics["shards"].push_back(shard);
  const std::set<std::string> algorithms = pinned_algorithms(lowering);
  if (!algorithms.empty()) numerics["kernels"] = algorithms;
  if (!lowering.pipelined.empty()) numerics["pipelined"] = lowering.pipelined;
  return numerics;
}

// The tasks that run on each kind of device. Names of workers and tasks that are not there belong
// to none: schedules are hashed also to be judged.
std::map<std::string, std::set<std::string>> tasks_by_kind(const Schedule& schedule) {
  const std::vector<Worker> all = workers(schedule.platform);
  std::map<std::string, std::set<std::string>> tasks;
  const auto is_one_of = [](const auto& some, std::int64_t id) {
    return id >= 0 && id < static_cast<std::int64_t>(some.size());
  };
  for (const Action& action : schedule.actions) {
    if (action.what != Do::compute || !is_one_of(schedule.graph.tasks, action.task) ||
        !is_one_of(all, action.worker))
      continue;
    const Worker& worker = all[action.worker];
    if (worker.is_link()) continue;
    tasks[schedule.platform.devices[worker.device].kind].insert(
        schedule.graph.tasks[action.task].name);
  }
  return tasks;
}

}  // namespace

std::string numerics_sha256(const std::string& model_sha256, const Request& request,
                            const Lowering& lowering) {
  return sha256(numerics_of(model_sha256, request, lowering).dump());
}

std::string numerics_sha256(const Schedule& schedule, const std::string& model_sha256) {
  auto numerics = numerics_of(model_sha256, schedule.request, schedule.lowering);
  const auto tasks = tasks_by_kind(schedule);
  const bool is_network = std::holds_alternative<Network>(schedule.model);
  if (!is_network || tasks.empty()) return sha256(numerics.dump());
  if (tasks.size() > 1)
    numerics["devices"] = tasks;
  else if (const std::string& kind = tasks.begin()->first; kind != "cpu")
    numerics["devices"] = kind;
  return sha256(numerics.dump());
}

std::map<std::string, std::int64_t> bytes_by_memory(const JsonReader& json) {
  std::map<std::string, std::int64_t> bytes;
  for (const auto& [name, value] : json.members()) bytes[name] = value.integer(min_int64);
  return bytes;
}

JoulesBy joules_by_from_json(const JsonReader& json) {
  json.expect_only({"compute", "copy", "switch", "wait", "active", "idle", "memory", "base"});
  const auto joules = [&](const char* key) { return json.child(key).number(any_number); };
  return {joules("compute"), joules("copy"), joules("switch"), joules("wait"),
          joules("active"),  joules("idle"), joules("memory"), joules("base")};
}

nlohmann::ordered_json to_json(const JoulesBy& by) {
  return {{"compute", by.compute}, {"copy", by.copy}, {"switch", by.switches}, {"wait", by.wait},
          {"active", by.active},   {"idle", by.idle}, {"memory", by.memory},   {"base", by.base}};
}

Request request_from_json(const JsonReader& json) {
  json.expect_only({"objective", "memory", "deadline_seconds", "bill", "batch", "microbatches",
                    "leaves", "strategy", "limit", "seed", "recompute", "offload", "layout",
                    "grain", "shards", "fuse", "pipeline", "stages"});
  Request request;
  request.objective = objective_from_json(json.child("objective"));
  request.memory = bytes_by_memory(json.child("memory"));
  const JsonReader deadline = json.child("deadline_seconds");
  if (!deadline.is_null()) request.deadline_seconds = deadline.number();
  set_bill(request, json.text("bill"), json.child("bill").where());
  if (request.bill == Bill::deadline && !request.deadline_seconds) {
    json.child("bill").fail("billed to the deadline, and there is none; expected deadline_seconds");
  }
  request.batch = json.child("batch").integer(1);
  request.microbatches = json.child("microbatches").integer(1);
  request.leaves = json.child("leaves").integer(1);
  request.layout = layout_from_json(json);
  request.grain = grain_from_json(json);
  request.shards = shards_from_json(json);
  request.fuse = json.boolean("fuse", true);
  request.pipeline = json.text("pipeline", "");
  request.stages = json.integer("stages", 0);
  request.strategy = json.text("strategy");
  request.limit = json.child("limit").number();
  request.seed = json.child("seed").integer();
  request.recompute = json.child("recompute").boolean();
  request.offload = json.child("offload").boolean();
  return request;
}

Predicted predicted_from_json(const JsonReader& json) {
  json.expect_only({"seconds", "joules", "joules_by", "objective", "optimal", "peak_bytes",
                    "executions", "recomputed", "copied_bytes", "strategy", "interrupted"});
  Predicted predicted;
  predicted.seconds = json.child("seconds").number(any_number);
  predicted.joules = json.child("joules").number(any_number);
  predicted.joules_by = joules_by_from_json(json.child("joules_by"));
  predicted.objective = proof_from_json(json.child("objective"));
  predicted.optimal = json.child("optimal").boolean();
  predicted.peak_bytes = bytes_by_memory(json.child("peak_bytes"));
  predicted.executions = json.child("executions").integer(min_int64);
  predicted.recomputed = json.child("recomputed").integer(min_int64);
  predicted.copied_bytes = json.child("copied_bytes").integer(min_int64);
  predicted.strategy = json.text("strategy");
  predicted.interrupted = json.boolean("interrupted", false);
  return predicted;
}

nlohmann::ordered_json to_json(const std::map<std::string, std::int64_t>& bytes_by_memory) {
  auto json = nlohmann::ordered_json::object();
  for (const auto& [memory, bytes] : bytes_by_memory) json[memory] = bytes;
  return json;
}

nlohmann::ordered_json to_json(const Request& request) {
  nlohmann::ordered_json json = {{"objective", to_string(request.objective)},
                                 {"memory", to_json(request.memory)},
                                 {"deadline_seconds", nullptr},
                                 {"bill", bill_text(request)},
                                 {"batch", request.batch},
                                 {"microbatches", request.microbatches},
                                 {"leaves", request.leaves},
                                 {"strategy", request.strategy},
                                 {"limit", request.limit},
                                 {"seed", request.seed},
                                 {"recompute", request.recompute},
                                 {"offload", request.offload}};
  if (request.deadline_seconds) json["deadline_seconds"] = *request.deadline_seconds;
  if (request.layout != ImageLayout::nhwc) json["layout"] = to_string(request.layout);
  if (request.grain == auto_grain)
    json["grain"] = "auto";
  else if (request.grain != 0)
    json["grain"] = request.grain;
  for (const Shard& shard : request.shards) json["shards"].push_back(to_json(shard));
  if (!request.fuse) json["fuse"] = false;
  if (!request.pipeline.empty()) json["pipeline"] = request.pipeline;
  if (request.stages != 0) json["stages"] = request.stages;
  return json;
}

nlohmann::ordered_json to_json(const Predicted& predicted) {
  nlohmann::ordered_json json = {{"seconds", predicted.seconds},
                                 {"joules", predicted.joules},
                                 {"joules_by", to_json(predicted.joules_by)},
                                 {"objective", to_json(predicted.objective)},
                                 {"optimal", predicted.optimal},
                                 {"peak_bytes", to_json(predicted.peak_bytes)},
                                 {"executions", predicted.executions},
                                 {"recomputed", predicted.recomputed},
                                 {"copied_bytes", predicted.copied_bytes},
                                 {"strategy", predicted.strategy}};
  if (predicted.interrupted) json["interrupted"] = true;
  return json;
}

}  // namespace stint
