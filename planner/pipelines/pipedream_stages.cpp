#include "planner/pipelines/pipedream_stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "files/input_error.hpp"
#include "models/parts.hpp"
#include "models/training/lower_network.hpp"
#include "models/training/pipelined_order.hpp"
#include "planner/infinity.hpp"
#include "planner/pipelines/pipeline_request.hpp"
#include "planner/pipelines/stage_blocks.hpp"

namespace stint {
namespace {

constexpr double flops_per_byte = 10;

// What layers take, and where they may be parted.
struct Layers {
  std::vector<double> work_before;  // of all layers before, and of all
  std::vector<char> can_cut;        // behind a layer
  int with_work = 0;
};

// Who writes parts of one tensor writes into one memory.
void forbid_cuts(const LoweredNetwork& lowered, Layers& layers) {
  std::map<TensorId, std::pair<int, int>> written;  // the first and the last layer, by whole
  for (std::size_t t = 0; t < lowered.graph.tasks.size(); ++t) {
    for (const TensorId tensor : lowered.graph.tasks[t].writes) {
      const int layer = lowered.origins[t].layer;
      auto& [first, last] =
          written.try_emplace(place_in_root(lowered.graph, tensor).tensor, layer, layer)
              .first->second;
      first = std::min(first, layer), last = std::max(last, layer);
    }
  }
  for (const auto& [whole, span] : written) {
    for (int l = span.first; l < span.second; ++l) layers.can_cut[l] = 0;
  }
}

// Of one micro-batch.
Layers layers_of(const Network& network, const Request& request) {
  const LoweredNetwork lowered = lower_with_kernels(
      network, {.batch = request.batch / request.microbatches, .layout = request.layout});
  std::vector<double> work(network.layers.size(), 0);
  for (std::size_t t = 0; t < lowered.graph.tasks.size(); ++t) {
    const Task& task = lowered.graph.tasks[t];
    work[lowered.origins[t].layer] += task.flops + flops_per_byte * task.bytes_moved;
  }
  Layers layers{{0}, std::vector<char>(work.size(), 1)};
  for (const double own : work) layers.work_before.push_back(layers.work_before.back() + own);
  layers.with_work =
      static_cast<int>(std::count_if(work.begin(), work.end(), [](double w) { return w > 0; }));
  forbid_cuts(lowered, layers);
  return layers;
}

std::vector<int> ends_of(const Layers& layers, int stages) {
  const int count = static_cast<int>(layers.can_cut.size());
  const auto cost = [&](int, int begin, int end) {
    const double work = layers.work_before[end] - layers.work_before[begin];
    return work > 0 && (end == count || layers.can_cut[end - 1]) ? work : infinity;
  };
  return min_max_blocks(count, stages, cost).ends;
}

void expect_divisor(const Request& request) {
  if (request.microbatches >= 1 && request.batch % request.microbatches == 0) return;
  throw InputError("--microbatches", fmt::format("{}; expected a divisor of {} samples",
                                                 request.microbatches, request.batch));
}

}  // namespace

std::vector<std::string> pipedream_stages(const Model& model, const Request& request) {
  if (request.pipeline != asynchronous_pipeline) return {};
  pipeline_request(request);
  const auto* const network = std::get_if<Network>(&model);
  if (network == nullptr)
    throw InputError("--pipeline",
                     "pipedream updates weights after every micro-batch, which a graph of tasks "
                     "does not say how to do; expected a model of layers");
  expect_divisor(request);
  const Layers layers = layers_of(*network, request);
  const auto fail = [&](int most) {
    throw InputError("--stages", fmt::format("{} stages; expected at most {}, as there are layers",
                                             request.stages, most));
  };
  if (request.stages > layers.with_work) fail(layers.with_work);
  const auto ends = ends_of(layers, static_cast<int>(request.stages));
  if (ends.empty())
    fail(1 +
         static_cast<int>(std::accumulate(layers.can_cut.begin(), layers.can_cut.end() - 1, 0)));
  std::vector<std::string> first{network->layers[0].name};
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) first.push_back(network->layers[ends[i]].name);
  return first;
}

std::vector<int> keep_in_stages(const Problem& problem, PipelineTasks& tasks) {
  const Lowering& lowering = problem.blank.lowering;
  const auto& network = std::get<Network>(problem.blank.model);
  const std::vector<int> first = first_layers(network, lowering);
  const std::vector<TaskOrigin> origins = lower_with_kernels(network, lowering).origins;
  const auto stage_of = [&](const TaskOrigin& origin) {
    return std::upper_bound(first.begin(), first.end(), origin.layer) - first.begin() - 1;
  };
  std::vector<int> ends(first.size(), 0);
  for (std::size_t t = 0; t < origins.size(); ++t) {
    if (tasks.microbatch[t] == 0 && tasks.work[t] == StageWork::forward)
      ++ends[stage_of(origins[t])];
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  for (std::size_t t = 0; t < origins.size(); ++t) {
    const auto stage = stage_of(origins[t]);
    const int begin = stage == 0 ? 0 : ends[stage - 1];
    if (begin < ends[stage]) tasks.layer[t] = std::clamp(tasks.layer[t], begin, ends[stage] - 1);
    tasks.microbatch[t] = static_cast<int>(origins[t].microbatch);
    tasks.work[t] = origins[t].is_forward ? StageWork::forward : StageWork::backward;
  }
  return ends;
}

}  // namespace stint
