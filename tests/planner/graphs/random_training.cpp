#include "tests/planner/graphs/random_training.hpp"

#include <algorithm>
#include <random>
#include <string>

namespace stint {
namespace {

class Building {
 public:
  Building(std::uint64_t seed, const RandomTrainingOptions& options)
      : random_(seed), options_(options) {}

  Graph build() {
    graph_.name = "random";
    activation_.push_back(tensor("x", Kind::input));
    for (int l = 1; l <= options_.layers; ++l) forward(l);
    gradient_.assign(activation_.size(), {});
    Task loss = task("loss", Phase::loss);
    loss.reads = {activation_.back()};
    gradient_.back().push_back(tensor("dloss", Kind::activation));
    loss.writes = gradient_.back();
    graph_.tasks.push_back(loss);
    for (int l = options_.layers; l >= 1; --l) backward(l);
    return graph_;
  }

 private:
  int pick(int from, int to) {
    return from + static_cast<int>(random_() % static_cast<std::uint64_t>(to - from + 1));
  }
  TensorId tensor(const std::string& name, Kind kind) {
    Tensor added;
    added.name = name;
    added.bytes = pick(1, options_.max_bytes);
    added.kind = kind;
    graph_.tensors.push_back(added);
    return static_cast<TensorId>(graph_.tensors.size() - 1);
  }
  Task task(const std::string& name, Phase phase) {
    Task added;
    added.name = name;
    added.phase = phase;
    added.seconds["cpu"] = pick(1, 9);
    if (options_.with_workspace) added.workspace_bytes = pick(0, 3);
    return added;
  }

  void forward(int l) {
    Task added = task("F" + std::to_string(l), Phase::forward);
    added.reads = {activation_[l - 1]};
    if (l > 1 && pick(0, 2) == 0) added.reads.push_back(activation_[pick(1, l - 1)]);
    if (added.reads.back() == added.reads.front()) added.reads.resize(1);
    if (options_.with_updates) {
      state_.push_back(tensor("w" + std::to_string(l), Kind::state));
      added.reads.push_back(state_.back());
    }
    activation_.push_back(tensor("y" + std::to_string(l), Kind::activation));
    added.writes = {activation_.back()};
    reads_.push_back(added.reads);
    graph_.tasks.push_back(added);
  }

  // One gradient for everything that the layer read and that has one.
  void backward(int l) {
    Task added = task("B" + std::to_string(l), Phase::backward);
    added.reads = gradient_[l];
    const int kind = pick(0, 2);
    if (kind != 1) added.reads.push_back(reads_[l - 1].front());
    if (kind != 0) added.reads.push_back(activation_[l]);
    for (int before = 1; before < l; ++before) {
      const auto& reads = reads_[l - 1];
      if (std::find(reads.begin(), reads.end(), activation_[before]) == reads.end()) continue;
      const std::string name = "d" + std::to_string(l) + "_" + std::to_string(before);
      gradient_[before].push_back(tensor(name, Kind::activation));
      added.writes.push_back(gradient_[before].back());
    }
    if (added.writes.empty()) added.writes = {tensor("g" + std::to_string(l), Kind::activation)};
    graph_.tasks.push_back(added);
    if (options_.with_updates) update(l);
  }

  void update(int l) {
    Task added = task("U" + std::to_string(l), Phase::update);
    added.reads = {graph_.tasks.back().writes.front()};
    added.updates = {state_[l - 1]};
    graph_.tasks.push_back(added);
  }

  std::mt19937_64 random_;
  RandomTrainingOptions options_;
  Graph graph_;
  std::vector<TensorId> activation_;
  std::vector<TensorId> state_;
  std::vector<std::vector<TensorId>> reads_;     // by layer
  std::vector<std::vector<TensorId>> gradient_;  // by activation
};

}  // namespace

Graph random_training(std::uint64_t seed, const RandomTrainingOptions& options) {
  return Building(seed, options).build();
}

}  // namespace stint
