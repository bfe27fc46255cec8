#include "tests/support/chain_graph.hpp"

#include <string>

namespace stint {

Graph chain_graph(int steps, std::int64_t bytes, std::int64_t gradient_bytes) {
  Graph graph;
  graph.name = "chain";
  const auto x = [](int i) { return static_cast<TensorId>(i); };
  const auto g = [steps](int i) { return static_cast<TensorId>(2 * steps + 1 - i); };
  for (int i = 0; i <= steps; ++i) {
    graph.tensors.push_back({.name = "x" + std::to_string(i),
                             .bytes = bytes,
                             .kind = i == 0 ? Kind::input : Kind::activation,
                             .part_of = {}});
  }
  const auto add = [&](char letter, int i, Phase phase, std::vector<TensorId> reads, TensorId y) {
    Task task;
    task.name = letter + std::to_string(i);
    task.phase = phase;
    task.reads = std::move(reads);
    task.writes = {y};
    task.seconds = {{"cpu", 1.0}};
    graph.tasks.push_back(std::move(task));
  };
  for (int i = 0; i < steps; ++i) add('F', i, Phase::forward, {x(i)}, x(i + 1));
  for (int i = steps; i >= 0; --i) {
    graph.tensors.push_back({"g" + std::to_string(i), gradient_bytes, Kind::activation, {}});
    const bool is_loss = i == steps;
    add('B', i, Phase::backward, is_loss ? std::vector{x(i)} : std::vector{x(i), g(i + 1)}, g(i));
  }
  graph.results = {g(0)};
  return graph;
}

}  // namespace stint
