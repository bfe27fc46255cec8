#include "planner/pipelines/layer_costs.hpp"

#include <algorithm>

namespace stint {
namespace {

class Adding {
 public:
  Adding(const PlacedGraph& graph, const PipelineTasks& tasks) : graph_(graph), tasks_(tasks) {
    const std::size_t layers = tasks.layers;
    costs_.sent_on_bytes.assign(layers, 0);
    costs_.sent_back_bytes.assign(layers, 0);
    costs_.held_bytes.assign(layers, 0);
    costs_.state_bytes.assign(layers, 0);
    costs_.can_cut.assign(layers, 1);
  }

  LayerCosts add() {
    add_seconds();
    for (std::size_t i = 0; i < graph_.flat.items.size(); ++i)
      add_item(static_cast<GraphItemId>(i));
    for (const PlacedState& state : graph_.states) {
      if (!state.updaters.empty())
        costs_.state_bytes[tasks_.layer[state.updaters.front()]] += bytes_of(state.tensor);
    }
    for (const auto& tied : graph_.tied) forbid_cuts(tied);
    return std::move(costs_);
  }

 private:
  double bytes_of(TensorId tensor) const {
    return static_cast<double>(graph_.problem->graph().tensors[tensor].bytes);
  }

  void add_seconds() {
    for (const auto& row : graph_.problem->seconds) {
      auto& seconds = costs_.seconds.emplace_back(tasks_.layers, 0.0);
      for (std::size_t t = 0; t < row.size(); ++t)
        seconds[tasks_.layer[t]] += row[t] / tasks_.microbatches;
    }
  }

  // From the layer of its writer to those of its readers, on or back.
  void add_item(GraphItemId item) {
    const GraphItem& whole = graph_.flat.items[item];
    if (whole.writers.empty()) return;
    const double bytes = bytes_of(whole.tensor) / tasks_.microbatches;
    const TaskId writer = whole.writers.front();
    const int layer = tasks_.layer[writer];
    int first = layer;
    int last = layer;
    bool is_held = false;
    for (const TaskId reader : graph_.readers[item]) {
      first = std::min(first, tasks_.layer[reader]);
      last = std::max(last, tasks_.layer[reader]);
      is_held = is_held || tasks_.work[reader] != StageWork::forward;
    }
    for (int l = layer; l < last; ++l) costs_.sent_on_bytes[l] += bytes;
    for (int l = first; l < layer; ++l) costs_.sent_back_bytes[l] += bytes;
    if (is_held && tasks_.work[writer] == StageWork::forward) costs_.held_bytes[layer] += bytes;
  }

  void forbid_cuts(const std::vector<TaskId>& tied) {
    if (tied.size() < 2) return;
    const auto by_layer = [&](TaskId a, TaskId b) { return tasks_.layer[a] < tasks_.layer[b]; };
    const auto [first, last] = std::minmax_element(tied.begin(), tied.end(), by_layer);
    for (int l = tasks_.layer[*first]; l < tasks_.layer[*last]; ++l) costs_.can_cut[l] = 0;
  }

  const PlacedGraph& graph_;
  const PipelineTasks& tasks_;
  LayerCosts costs_;
};

}  // namespace

LayerCosts layer_costs(const PlacedGraph& graph, const PipelineTasks& tasks) {
  return Adding(graph, tasks).add();
}

}  // namespace stint
