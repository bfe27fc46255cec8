#include "tests/support/random_graph.hpp"

#include <algorithm>
#include <random>

namespace stint {
namespace {

// Grows a graph task by task; whatever stands in `readable_` has been written already.
class Grower {
 public:
  Grower(std::uint64_t seed, const RandomGraphOptions& options) : options_(options), random_(seed) {
    graph_.name = "random-" + std::to_string(seed);
  }

  Graph grow() {
    for (int i = below(3); i >= 0; --i) add_input();
    if (options_.with_state) {
      for (int i = below(3); i >= 0; --i) add_state();
    }
    for (int i = 0; i < options_.tasks; ++i) add_task(i);
    add_results();
    return std::move(graph_);
  }

 private:
  int below(int count) { return static_cast<int>(random_() % static_cast<std::uint64_t>(count)); }
  bool one_in(int count) { return below(count) == 0; }
  std::int64_t size() {
    if (options_.with_zero_bytes && one_in(8)) return 0;
    return 1 + below(options_.max_bytes);
  }
  TensorId any_of(const std::vector<TensorId>& tensors) {
    return tensors[below(static_cast<int>(tensors.size()))];
  }

  TensorId add_tensor(std::int64_t bytes, Kind kind = Kind::activation) {
    const auto id = static_cast<TensorId>(graph_.tensors.size());
    graph_.tensors.push_back({"t" + std::to_string(int{id}), bytes, kind, {}});
    return id;
  }
  TensorId add_part(TensorId whole, std::int64_t offset, std::int64_t bytes) {
    const TensorId id = add_tensor(bytes, graph_.tensors[whole].kind);
    graph_.tensors[id].part_of = PartOf{whole, offset};
    return id;
  }
  // Cuts a whole into at most three parts that tile it, and perhaps an empty one.
  std::vector<TensorId> add_tiles(TensorId whole) {
    std::vector<TensorId> tiles;
    std::int64_t offset = 0;
    for (std::int64_t left = graph_.tensors[whole].bytes; left > 0;) {
      const std::int64_t bytes = tiles.size() == 2 ? left : 1 + below(static_cast<int>(left));
      tiles.push_back(add_part(whole, offset, bytes));
      offset += bytes;
      left -= bytes;
    }
    if (options_.with_zero_bytes && one_in(8)) tiles.push_back(add_part(whole, offset, 0));
    return tiles;
  }
  // Any stretch of the whole; an empty one shares nothing, so only an input's needs no writer.
  TensorId add_view(TensorId whole) {
    const std::int64_t bytes = graph_.tensors[whole].bytes;
    const std::int64_t offset = below(static_cast<int>(bytes));
    const bool may_be_empty = options_.with_zero_bytes && graph_.tensors[whole].kind == Kind::input;
    const std::int64_t least = may_be_empty ? 0 : 1;
    return add_part(whole, offset, least + below(static_cast<int>(bytes - offset - least + 1)));
  }

  void add_input() {
    const TensorId input = add_tensor(size(), Kind::input);
    readable_.push_back(input);
    if (may_be_cut(input)) readable_.push_back(add_view(input));
  }

  void add_state() {
    const TensorId state = add_tensor(size(), Kind::state);
    states_.push_back({state});
    if (may_be_cut(state)) states_.push_back(add_tiles(state));
  }

  bool may_be_cut(TensorId tensor) {
    return options_.with_parts && graph_.tensors[tensor].bytes > 0 && one_in(4);
  }

  void add_task(int number) {
    Task task;
    task.name = "T" + std::to_string(number);
    task.phase = static_cast<Phase>(below(5));
    add_reads(task);
    if (options_.with_state && one_in(3)) add_updates(task);
    add_writes(task, number + 1 == options_.tasks);
    if (options_.with_optional && one_in(4)) task.optional = {any_of(task.writes)};
    if (options_.with_overwrite) add_may_overwrite(task);
    if (options_.with_workspace && one_in(3)) task.workspace_bytes = size();
    add_costs(task);
    graph_.tasks.push_back(std::move(task));
  }

  void add_reads(Task& task) {
    for (int i = below(4); i > 0; --i) insert(task.reads, recent_or_any());
    if (options_.with_state && one_in(3)) insert(task.reads, any_of(states_[below_states()]));
  }
  TensorId recent_or_any() {
    if (one_in(2)) return any_of(readable_);
    const auto window = std::min<std::size_t>(4, readable_.size());
    return readable_[readable_.size() - 1 - below(static_cast<int>(window))];
  }
  int below_states() { return below(static_cast<int>(states_.size())); }
  static void insert(std::vector<TensorId>& list, TensorId tensor) {
    if (std::find(list.begin(), list.end(), tensor) == list.end()) list.push_back(tensor);
  }

  // A state as a whole, or some of the tiles of one: never the same byte twice.
  void add_updates(Task& task) {
    task.updates = states_[below_states()];
    if (task.updates.size() > 1 && one_in(2)) task.updates.pop_back();
  }

  void add_writes(Task& task, bool is_last) {
    write_tiles(task, is_last);
    if (task.writes.empty() && may_be_tiled()) {
      tiled_ = add_tensor(2 + below(options_.max_bytes));
      tiles_ = add_tiles(tiled_);
      std::reverse(tiles_.begin(), tiles_.end());
      write_tiles(task, is_last);
    }
    for (int i = task.writes.empty() ? 1 + below(2) : below(2); i > 0; --i) write_new(task);
  }
  bool may_be_tiled() { return options_.with_parts && one_in(5); }

  // At least one, if there are any; the last task writes all.
  void write_tiles(Task& task, bool is_last) {
    while (!tiles_.empty() && (is_last || task.writes.empty() || one_in(3))) write_tile(task);
  }
  void write_tile(Task& task) {
    task.writes.push_back(tiles_.back());
    written_.push_back(tiles_.back());
    tiles_.pop_back();
    if (!tiles_.empty()) return;
    written_.push_back(tiled_);
    written_.push_back(add_view(tiled_));
  }

  void write_new(Task& task) {
    const TensorId tensor = add_tensor(size());
    task.writes.push_back(tensor);
    written_.push_back(tensor);
    if (may_be_cut(tensor)) written_.push_back(add_view(tensor));
  }

  // Permission for whole tensors only, each given up once.
  void add_may_overwrite(Task& task) {
    std::vector<TensorId> given_up;
    for (const TensorId y : task.writes) {
      if (task.reads.empty() || graph_.tensors[y].part_of || !one_in(2)) continue;
      const TensorId x = any_of(task.reads);
      const bool taken = std::find(given_up.begin(), given_up.end(), x) != given_up.end();
      if (taken || graph_.tensors[x].kind == Kind::state || graph_.tensors[x].part_of) continue;
      given_up.push_back(x);
      task.may_overwrite.emplace_back(y, x);
    }
  }

  void add_costs(Task& task) {
    readable_.insert(readable_.end(), written_.begin(), written_.end());
    written_.clear();
    task.seconds["cpu"] = (1 + below(64)) / 16.0;
    if (!one_in(4)) task.seconds["gpu"] = (1 + below(64)) / 64.0;
    if (one_in(4)) task.op = one_in(2) ? "matmul.forward" : "relu.forward";
    if (!task.op.empty()) task.flops = 1 + below(1000);
    if (one_in(8)) task.parallel = Parallel{1 + below(4), below(5) / 4.0};
  }

  void add_results() {
    for (int i = below(4); i > 0; --i) insert(graph_.results, any_of(readable_));
  }

  const RandomGraphOptions options_;
  std::mt19937_64 random_;
  Graph graph_;
  std::vector<TensorId> readable_;             // what a task may read
  std::vector<TensorId> written_;              // by the task being made, so not yet readable
  std::vector<std::vector<TensorId>> states_;  // each: state that one task may update at once
  TensorId tiled_ = no_tensor;                 // the whole whose tiles are being written …
  std::vector<TensorId> tiles_;                // … and those still to write, last first
};

}  // namespace

Graph random_graph(std::uint64_t seed, const RandomGraphOptions& options) {
  return Grower(seed, options).grow();
}

}  // namespace stint
