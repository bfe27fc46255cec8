#include "schedules/network_facts.hpp"

#include <algorithm>
#include <map>

#include "models/listed_peak.hpp"
#include "models/lowering.hpp"
#include "models/segments.hpp"
#include "schedules/units.hpp"

namespace stint {
namespace {

// Of a network that could be lowered: sizes are sensible.
LayerFacts layer_facts(const LayerTypes& types) {
  LayerFacts facts{.outputs = types.outputs, .parameters = parameter_count(types)};
  for (const ValueType& output : types.outputs) {
    const std::int64_t bytes = product(output.shape).at(1) * bytes_of(output.element);
    facts.activation_bytes = add_bytes(facts.activation_bytes, bytes);
  }
  return facts;
}

// Tasks are named after their layer, `conv1.forward`, and layers may have dots in their names too:
// the longest name of a layer that the task's begins with.
class LayersByName {
 public:
  explicit LayersByName(const Network& network) {
    for (std::size_t i = 0; i < network.layers.size(); ++i) layers_[network.layers[i].name] = i;
  }

  // Nothing if it belongs to none: the loss.
  const std::size_t* of_task(std::string name) const {
    for (auto dot = name.rfind('.'); dot != std::string::npos; dot = name.rfind('.')) {
      name.resize(dot);
      if (const auto found = layers_.find(name); found != layers_.end()) return &found->second;
    }
    return nullptr;
  }

 private:
  std::map<std::string, std::size_t> layers_;
};

void add_flops(const Network& network, const Graph& graph, NetworkFacts& facts) {
  const LayersByName layers(network);
  for (const Task& task : graph.tasks) {
    if (task.phase != Phase::forward) continue;
    const std::size_t* const layer = layers.of_task(task.name);
    if (layer != nullptr) facts.layers[*layer].flops += task.flops;
  }
}

// Activations by root: made by forward tasks, read by backward ones.
std::int64_t kept_bytes(const Graph& graph) {
  const std::vector<TensorId> root = segments(graph).root;
  std::vector<bool> made(graph.tensors.size());
  std::vector<bool> kept(graph.tensors.size());
  std::int64_t bytes = 0;
  for (const Task& task : graph.tasks) {
    if (task.phase == Phase::forward) {
      for (const TensorId tensor : task.writes) made[root[tensor]] = true;
    }
    if (task.phase != Phase::backward) continue;
    for (const TensorId tensor : task.reads) {
      if (!made[root[tensor]] || kept[root[tensor]]) continue;
      kept[root[tensor]] = true;
      bytes = add_bytes(bytes, graph.tensors[root[tensor]].bytes);
    }
  }
  return bytes;
}

}  // namespace

NetworkFacts network_facts(const Network& network, std::int64_t batch) {
  const NetworkTypes types = infer(network);
  const Graph of_one = lower(network, {});
  const Graph of_batch = batch == 1 ? of_one : lower(network, {.batch = batch});
  NetworkFacts facts;
  std::transform(types.layers.begin(), types.layers.end(), std::back_inserter(facts.layers),
                 layer_facts);
  add_flops(network, of_one, facts);
  for (const LayerFacts& layer : facts.layers) {
    facts.activation_bytes = add_bytes(facts.activation_bytes, layer.activation_bytes);
    facts.flops += layer.flops;
  }
  facts.parameters = parameter_count(types);
  facts.kept_bytes = kept_bytes(of_one);
  facts.peak_bytes = listed_peak_bytes(of_batch);
  facts.batch = batch;
  facts.tasks = std::ssize(of_batch.tasks);
  return facts;
}

}  // namespace stint
