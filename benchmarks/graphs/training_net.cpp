#include "benchmarks/graphs/training_net.hpp"

#include <algorithm>
#include <cmath>

namespace stint {

TensorId TrainingNet::add_task(const std::string& name, Phase phase, const std::vector<int>& reads,
                               std::int64_t bytes, double microseconds) {
  const auto written = static_cast<TensorId>(graph_.tensors.size());
  graph_.tensors.push_back({name, bytes, Kind::activation, std::nullopt});
  Task task;
  task.name = name;
  task.phase = phase;
  for (const int read : reads) task.reads.push_back(static_cast<TensorId>(read));
  std::sort(task.reads.begin(), task.reads.end());
  task.reads.erase(std::unique(task.reads.begin(), task.reads.end()), task.reads.end());
  task.writes = {written};
  task.seconds["cpu"].value = std::round(microseconds) * 1e-6;
  graph_.tasks.push_back(std::move(task));
  return written;
}

int TrainingNet::add(const std::vector<int>& inputs, std::int64_t bytes, double microseconds,
                     Needs needs) {
  const int layer = static_cast<int>(layers_.size());
  const double noisy = microseconds * (0.8 + 0.4 * static_cast<double>(random(1001)) / 1000);
  layers_.push_back({inputs, {}, noisy, needs});
  add_task("f" + std::to_string(layer), Phase::forward, inputs, bytes, noisy);
  return layer;
}

void TrainingNet::add_backward(int number) {
  const Layer& layer = layers_[number];
  std::vector<int> reads = layer.gradients;
  std::int64_t bytes = 0;
  for (const int input : layer.inputs) {
    bytes += graph_.tensors[input].bytes;
    if (layer.needs == Needs::input || layer.needs == Needs::both) reads.push_back(input);
  }
  if (layer.needs == Needs::output || layer.needs == Needs::both) reads.push_back(number);
  const TensorId gradient = add_task("d" + std::to_string(number), Phase::backward, reads,
                                     std::max<std::int64_t>(bytes, 4), layer.microseconds * 2);
  for (const int input : layer.inputs) layers_[input].gradients.push_back(gradient);
}

Graph TrainingNet::finish() {
  const int last = static_cast<int>(layers_.size()) - 1;
  layers_[last].gradients = {add_task("loss", Phase::loss, {last}, 4, 20)};
  for (int layer = last; layer >= 0; --layer) {
    if (!layers_[layer].gradients.empty()) add_backward(layer);
  }
  check(graph_);
  return std::move(graph_);
}

}  // namespace stint
