#include "tests/planner/chains/task_chains.hpp"

#include <random>
#include <string>

namespace stint {
namespace {

class Making {
 public:
  Making(std::uint64_t seed, const TaskChainOptions& options) : random_(seed), options_(options) {}

  Graph graph() {
    graph_.name = "random chain";
    const int n = options_.stages;
    xs_ = {tensor("x0", 1 + pick(options_.largest), Kind::input)};
    for (int i = 0; i < n; ++i) forward(i);
    TensorId gradient = loss(n);
    for (int i = n - 1; i >= 0; --i) gradient = backward(i, gradient);
    for (Task& update : updates_) graph_.tasks.push_back(std::move(update));
    if (chance(2)) graph_.results.push_back(gradient);
    return std::move(graph_);
  }

 private:
  struct Stage {
    TensorId tape = no_tensor;
    TensorId weight = no_tensor;
  };

  int pick(int most) { return static_cast<int>(random_() % static_cast<std::uint64_t>(most + 1)); }
  bool chance(int of) { return pick(of - 1) == 0; }
  std::string name(const char* letter, int i) const { return letter + std::to_string(i); }

  TensorId tensor(const std::string& named, std::int64_t bytes, Kind kind = Kind::activation) {
    graph_.tensors.push_back({named, bytes, kind, {}});
    return static_cast<TensorId>(graph_.tensors.size() - 1);
  }

  Task task(const std::string& named, Phase phase, std::vector<TensorId> reads,
            std::vector<TensorId> writes) {
    Task made;
    made.name = named;
    made.phase = phase;
    made.reads = std::move(reads);
    made.writes = std::move(writes);
    made.workspace_bytes = chance(3) ? pick(options_.largest) : 0;
    made.seconds = {{"cpu", 1.0 + pick(options_.largest)}};
    return made;
  }

  void forward(int i) {
    Stage stage;
    TensorId input = xs_.back();
    if (!options_.plain && chance(4)) {  // a stage of two tasks
      const TensorId middle = tensor(name("m", i), 1 + pick(options_.largest));
      graph_.tasks.push_back(task(name("E", i), Phase::forward, {input}, {middle}));
      input = middle;
    }
    xs_.push_back(tensor(name("x", i + 1), pick(options_.largest)));
    Task made = task(name("F", i), Phase::forward, {input}, {xs_.back()});
    if (chance(2)) {
      stage.tape = tensor(name("t", i), 1 + pick(options_.largest));
      made.writes.push_back(stage.tape);
      if (chance(2)) made.optional = {stage.tape};
    }
    if (chance(3)) {
      stage.weight = tensor(name("w", i), 1, Kind::state);
      made.reads.push_back(stage.weight);
    }
    graph_.tasks.push_back(std::move(made));
    stages_.push_back(stage);
  }

  TensorId loss(int n) {
    const TensorId gradient = tensor(name("g", n), pick(options_.largest));
    Task made = task("L", Phase::loss, {xs_.back()}, {gradient});
    if (chance(2)) made.reads.push_back(tensor("label", 1, Kind::input));
    if (!options_.plain && chance(2)) {
      made.writes.push_back(tensor("loss", 1));
      graph_.results.push_back(made.writes.back());
    }
    graph_.tasks.push_back(std::move(made));
    return gradient;
  }

  TensorId backward(int i, TensorId after) {
    const Stage& stage = stages_[i];
    const TensorId gradient = tensor(name("g", i), pick(1) * pick(options_.largest));
    Task made = task(name("B", i), Phase::backward, {after}, {gradient});
    if (stage.tape != no_tensor) made.reads.push_back(stage.tape);
    if (stage.tape == no_tensor || chance(2)) made.reads.push_back(xs_[i]);
    if (chance(4)) made.reads.push_back(xs_[i + 1]);
    if (stage.weight != no_tensor) {
      const TensorId change = tensor(name("dw", i), 1 + pick(1));
      made.reads.push_back(stage.weight);
      made.writes.push_back(change);
      Task update = task(name("U", i), Phase::update, {change}, {});
      update.updates = {stage.weight};
      updates_.push_back(std::move(update));
    }
    graph_.tasks.push_back(std::move(made));
    return gradient;
  }

  std::mt19937_64 random_;
  TaskChainOptions options_;
  Graph graph_;
  std::vector<TensorId> xs_;
  std::vector<Stage> stages_;
  std::vector<Task> updates_;  // listed at the end, as optimizers do
};

}  // namespace

Graph random_task_chain(std::uint64_t seed, const TaskChainOptions& options) {
  return Making(seed, options).graph();
}

}  // namespace stint
