#include "planner/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "files/input_error.hpp"
#include "files/sha256.hpp"
#include "models/dependencies.hpp"
#include "models/training/fuse.hpp"
#include "planner/grains/choose_grain.hpp"
#include "planner/infinity.hpp"
#include "planner/pinned_kernels.hpp"
#include "planner/pipelines/pipedream_stages.hpp"
#include "schedules/cost.hpp"

namespace stint {

namespace {

std::string joined(const std::set<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

// The kinds that the task has seconds for, or the op that a time model would have to price.
std::string offered_by(const Task& task) {
  std::set<std::string> kinds;
  for (const auto& [kind, seconds] : task.seconds) kinds.insert(kind);
  if (!kinds.empty()) return "has seconds for " + joined(kinds) + " only";
  return "has no seconds" + (task.op.empty() ? "" : ", and no time model prices op " + task.op);
}

// In a file of tasks the place is known; a task that layers were lowered to has only its name.
[[noreturn]] void fail_unrunnable(const Problem& problem, int id, const std::string& model_file) {
  const bool is_in_file = std::holds_alternative<Graph>(problem.blank.model);
  const Task& task = problem.graph().tasks[id];
  std::set<std::string> kinds;
  for (const Device& device : problem.platform().devices) kinds.insert(device.kind);
  throw InputError(
      is_in_file ? fmt::format("{}: /tasks/{}/seconds", model_file, id) : model_file,
      fmt::format("task {} {}; expected {} for a device of the platform ({})", in_quotes(task.name),
                  offered_by(task), is_in_file ? "seconds" : "a time model", joined(kinds)));
}

std::vector<std::vector<double>> price_tasks(const Graph& graph, const Platform& platform) {
  const TaskTimes times(platform);
  std::vector<std::vector<double>> seconds(platform.devices.size());
  for (std::size_t device = 0; device < seconds.size(); ++device) {
    seconds[device].reserve(graph.tasks.size());
    for (const Task& task : graph.tasks) {
      const auto price = times.seconds_at_speed_1(task, static_cast<DeviceId>(device));
      seconds[device].push_back(price.value_or(infinity));
    }
  }
  return seconds;
}

void check_runnable(const Problem& problem, const std::string& model_file) {
  for (std::size_t task = 0; task < problem.graph().tasks.size(); ++task) {
    const bool runs = std::any_of(problem.seconds.begin(), problem.seconds.end(),
                                  [&](const auto& row) { return std::isfinite(row[task]); });
    if (!runs) fail_unrunnable(problem, static_cast<int>(task), model_file);
  }
}

// In listed order: who wrote, or updated last, what a task reads or updates.
std::vector<std::vector<TaskId>> needs_of(const Graph& graph, const Segments& segments) {
  std::vector<int> writer(segments.count(), -1);
  std::vector<std::vector<TaskId>> needs(graph.tasks.size());
  const auto for_each_segment = [&](const std::vector<TensorId>& tensors, auto visit) {
    for (const TensorId tensor : tensors) {
      const SegmentRange range = segments.of_tensor[tensor];
      for (int s = range.begin; s < range.end; ++s) visit(s);
    }
  };
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    const Task& task = graph.tasks[t];
    const auto need = [&](int s) {
      if (writer[s] >= 0) needs[t].push_back(static_cast<TaskId>(writer[s]));
    };
    const auto write = [&](int s) { writer[s] = static_cast<int>(t); };
    for_each_segment(task.reads, need);
    for_each_segment(task.updates, need);
    for_each_segment(task.updates, write);
    for_each_segment(task.writes, write);
    std::sort(needs[t].begin(), needs[t].end());
    needs[t].erase(std::unique(needs[t].begin(), needs[t].end()), needs[t].end());
  }
  return needs;
}

std::vector<std::int64_t> capacities(const Platform& platform, const Request& request) {
  std::vector<std::int64_t> bytes;
  for (const Memory& memory : platform.memories) bytes.push_back(memory.bytes);
  for (const auto& [name, bound] : request.memory) {
    const auto memory = find_memory(platform, name);
    if (!memory)
      throw InputError("--memory",
                       "no memory named " + in_quotes(name) + "; expected one of the platform's");
    bytes[*memory] = std::min(bytes[*memory], bound);
  }
  return bytes;
}

void check_request(const Request& request) {
  if (request.bill == Bill::deadline && !request.deadline_seconds)
    throw InputError("--bill deadline", "there is no deadline; expected --deadline SECONDS");
}

Grain grain_of(const Model& model, const Platform& platform, const Request& request,
               const std::string& model_file) {
  if (request.grain == 0) return {};
  const auto* const network = std::get_if<Network>(&model);
  if (network == nullptr) {
    const std::string asked = request.grain == auto_grain ? "auto" : std::to_string(request.grain);
    throw InputError("--grain", asked + ", which needs layers to cut; expected a model of layers");
  }
  if (request.grain == auto_grain) return choose_grain(*network, platform, request, model_file);
  return {uniform_cuts(*network, request.grain), {}};
}

bool prices_all(const Platform& platform, const Graph& graph) {
  const TaskTimes times(platform);
  return std::ranges::all_of(graph.tasks, [&](const Task& task) {
    for (std::size_t device = 0; device < platform.devices.size(); ++device) {
      if (times.seconds_at_speed_1(task, static_cast<DeviceId>(device))) return true;
    }
    return false;
  });
}

// That have neither seconds of their own nor a measured kernel on any device.
std::ptrdiff_t unmeasured_tasks(const Platform& platform, const Graph& graph) {
  const TaskTimes times(platform);
  return std::ranges::count_if(graph.tasks, [&](const Task& task) {
    for (int device = 0; device < static_cast<int>(platform.devices.size()); ++device) {
      const DeviceId id{device};
      if (times.seconds_at_speed_1(task, id) && times.model_of(task, id) == nullptr) return false;
    }
    return true;
  });
}

// What is fused has kernels on CPUs only, and is one layer to a pipeline, whose stages need many.
bool fuses(const Model& model, const Platform& platform, const Request& request) {
  const auto* const network = std::get_if<Network>(&model);
  const bool has_kernels = std::ranges::all_of(
      platform.devices, [](const Device& device) { return device.kind == "cpu"; });
  return request.fuse && request.pipeline.empty() && network != nullptr && has_kernels &&
         can_fuse(*network, request.layout);
}

// A fault of the lowering is one of the options that asked for it.
Graph lowered(const Model& model, const Lowering& lowering) {
  try {
    return lower(model, lowering);
  } catch (const InputError& error) {
    constexpr std::string_view place = "/lowering/";
    if (error.where().starts_with("/lowering/shards")) throw InputError("--shard", error.fault());
    if (!error.where().starts_with(place)) throw;
    throw InputError("--" + error.where().substr(place.size()), error.fault());
  }
}

// All that the network has; but a GELU that is computed with its product can no longer be computed
// again by itself, which is the cheapest way to save memory that there is.
std::vector<std::string> post_ops(const Network& network, const Request& request) {
  std::vector<std::string> found = post_ops_of(network, request.layout);
  const bool saves_memory = !request.memory.empty() || request.objective == Objective::memory;
  if (saves_memory) std::erase(found, gelu_post_op);
  return found;
}

// Whether the post-ops of `together` have prices, and as good ones as the same layers have apart:
// kernels that were measured for them count more than models.
bool prices_post_ops(const Platform& platform, const Graph& together, const Model& model,
                     const Lowering& lowering) {
  if (!prices_all(platform, together)) return false;
  const bool has_kernels = std::ranges::any_of(
      platform.devices, [](const Device& device) { return !device.kernels.empty(); });
  if (!has_kernels) return true;
  Lowering apart = lowering;
  apart.post_ops.clear();
  return unmeasured_tasks(platform, together) <= unmeasured_tasks(platform, lowered(model, apart));
}

// A platform that prices single layers only gets those.
void fuse_what_is_priced(const Model& model, const Platform& platform, const Request& request,
                         Schedule& blank) {
  Lowering& lowering = blank.lowering;
  lowering.fuse = fuses(model, platform, request);
  if (lowering.fuse) {
    lowering.post_ops = post_ops(std::get<Network>(model), request);
    blank.graph = lowered(model, lowering);
    if (!lowering.post_ops.empty()) {
      if (prices_post_ops(platform, blank.graph, model, lowering)) return;
      lowering.post_ops.clear();
      blank.graph = lowered(model, lowering);
    }
    if (prices_all(platform, blank.graph)) return;
    lowering.fuse = false;
  }
  blank.graph = lowered(model, lowering);
}

Schedule blank_schedule(const Model& model, const Platform& platform, const Request& request,
                        const Grain& grain) {
  Schedule blank;
  blank.stint = STINT_VERSION;
  blank.model = model;
  blank.platform = platform;
  blank.model_sha256 = sha256(model_text(model));
  blank.platform_sha256 = sha256(platform_text(platform));
  blank.request = request;
  blank.lowering = {.batch = request.batch,
                    .microbatches = request.microbatches,
                    .leaves = request.leaves,
                    .layout = request.layout,
                    .shards = request.shards,
                    .cuts = grain.cuts,
                    .splits = grain.splits,
                    .pipelined = pipedream_stages(model, request)};
  blank.pipelined = !blank.lowering.pipelined.empty();
  fuse_what_is_priced(model, platform, request, blank);
  if (const auto* const network = std::get_if<Network>(&model)) {
    blank.lowering.kernels = pinned_kernels(blank.graph, platform);
    pin_known_gpu_kernels(*network, blank.lowering, platform, blank.lowering.kernels);
    if (!blank.lowering.kernels.empty()) blank.graph = lowered(model, blank.lowering);
    drop_unused(blank.graph, blank.lowering.kernels);
  }
  blank.numerics_sha256 = numerics_sha256(blank.model_sha256, request, blank.lowering);
  return blank;
}

void number_workers(Problem& problem) {
  problem.workers = workers(problem.platform());
  problem.first_worker.assign(problem.platform().devices.size(), no_worker);
  problem.link_worker.assign(problem.platform().links.size(), no_worker);
  for (std::size_t w = problem.workers.size(); w-- > 0;) {
    const Worker& worker = problem.workers[w];
    if (worker.is_link())
      problem.link_worker[worker.link] = static_cast<WorkerId>(w);
    else
      problem.first_worker[worker.device] = static_cast<WorkerId>(w);
  }
}

}  // namespace

Problem make_problem(const Model& model, const Platform& platform, const Request& request,
                     const std::string& model_file) {
  return make_problem(model, platform, request, grain_of(model, platform, request, model_file),
                      model_file);
}

Problem with_request(const Problem& problem, const Request& request) {
  return make_problem(problem.blank.model, problem.platform(), request, "the model");
}

Problem make_problem(const Model& model, const Platform& platform, const Request& request,
                     const Grain& grain, const std::string& model_file) {
  check_request(request);
  Problem problem;
  problem.blank = blank_schedule(model, platform, request, grain);
  number_workers(problem);
  problem.segments = segments(problem.graph());
  problem.before = dependencies(problem.graph());
  problem.needs = needs_of(problem.graph(), problem.segments);
  problem.seconds = price_tasks(problem.graph(), platform);
  problem.capacity_bytes = capacities(platform, request);
  check_runnable(problem, model_file);
  return problem;
}

int choosable_states(const Device& device) {
  return device.settable == Settable::none ? 1 : static_cast<int>(device.states.size());
}

int all_workers(const Platform& platform) {
  int workers = 0;
  for (const Device& device : platform.devices) workers += device.workers;
  return workers;
}

double always_on_watts(const Platform& platform) {
  double watts = 0;
  for (const Node& node : platform.nodes) watts += node.base_watts;
  for (const Device& device : platform.devices) watts += device.idle_watts;
  for (const Memory& memory : platform.memories) watts += memory.static_watts;
  return watts;
}

std::int64_t capped_sum(std::int64_t a, std::int64_t b) {
  return std::min(std::min(a, huge_bytes) + std::min(b, huge_bytes), huge_bytes);
}

std::int64_t aligned(std::int64_t bytes, const Memory& memory) {
  const std::int64_t over = bytes % memory.alignment_bytes;
  return over == 0 ? capped_sum(bytes, 0) : capped_sum(bytes, memory.alignment_bytes - over);
}

}  // namespace stint
