#include "tests/planner/chains/task_search.hpp"

#include <algorithm>
#include <queue>
#include <unordered_map>
#include <vector>

namespace stint {
namespace {

// Bits: tensors that are there, inputs that came in, tasks that have run.
struct State {
  std::uint32_t there = 0;
  std::uint32_t came = 0;
  std::uint32_t ran = 0;
  bool operator==(const State&) const = default;
};

struct Hash {
  std::size_t operator()(const State& state) const {
    std::uint64_t hash = state.there;
    hash = hash * 0x9e3779b97f4a7c15u + state.came;
    hash = hash * 0x9e3779b97f4a7c15u + state.ran;
    return hash ^ hash >> 29;
  }
};

class Searching {
 public:
  Searching(const Graph& graph, std::int64_t bytes) : graph_(graph), bytes_(bytes) {
    for (const Tensor& tensor : graph.tensors) {
      if (tensor.kind == Kind::state) bytes_ -= tensor.bytes;
    }
  }

  std::optional<double> search() {
    reach({}, 0);
    while (!open_.empty()) {
      const auto [minus, state] = open_.top();
      open_.pop();
      if (-minus > cost_.at(state)) continue;
      if (is_goal(state)) return -minus;
      expand(state, -minus);
    }
    return std::nullopt;
  }

 private:
  using Entry = std::pair<double, State>;
  struct Cheaper {
    bool operator()(const Entry& a, const Entry& b) const { return a.first < b.first; }
  };
  static std::uint32_t bit(int i) { return std::uint32_t{1} << i; }
  bool is_state(TensorId tensor) const { return graph_.tensors[tensor].kind == Kind::state; }

  std::int64_t used(std::uint32_t there) const {
    std::int64_t sum = 0;
    for (std::size_t t = 0; t < graph_.tensors.size(); ++t) {
      if (there & bit(static_cast<int>(t))) sum += graph_.tensors[t].bytes;
    }
    return sum;
  }

  bool is_goal(const State& state) const {
    return state.ran == bit(static_cast<int>(graph_.tasks.size())) - 1 &&
           std::all_of(graph_.results.begin(), graph_.results.end(),
                       [&](TensorId result) { return (state.there & bit(result)) != 0; });
  }

  void reach(const State& state, double cost) {
    if (used(state.there) > bytes_) return;
    const auto [known, is_new] = cost_.try_emplace(state, cost);
    if (!is_new && known->second <= cost) return;
    known->second = cost;
    open_.push({-cost, state});
  }

  void expand(const State& state, double cost) {
    for (int t = 0; t < static_cast<int>(graph_.tensors.size()); ++t) {
      State next = state;
      if (state.there & bit(t)) {
        next.there &= ~bit(t);
        reach(next, cost);
      } else if (graph_.tensors[t].kind == Kind::input && !(state.came & bit(t))) {
        next.there |= bit(t);
        next.came |= bit(t);
        reach(next, cost);
      }
    }
    for (int t = 0; t < static_cast<int>(graph_.tasks.size()); ++t) run(state, cost, t);
  }

  // It reads the version of state that the listed order gives it.
  bool sees_its_version(const State& state, int id) const {
    for (int other = 0; other < static_cast<int>(graph_.tasks.size()); ++other) {
      for (const TensorId updated : graph_.tasks[other].updates) {
        const Task& task = graph_.tasks[id];
        const bool uses =
            std::find(task.reads.begin(), task.reads.end(), updated) != task.reads.end() ||
            std::find(task.updates.begin(), task.updates.end(), updated) != task.updates.end();
        if (uses && other != id && ((state.ran & bit(other)) != 0) != (other < id)) return false;
      }
    }
    return true;
  }

  void run(const State& state, double cost, int id) {
    const Task& task = graph_.tasks[id];
    if (!task.updates.empty() && (state.ran & bit(id))) return;
    for (const TensorId tensor : task.reads) {
      if (!is_state(tensor) && !(state.there & bit(tensor))) return;
    }
    if (!sees_its_version(state, id)) return;
    const std::size_t subsets = std::size_t{1} << task.optional.size();
    for (std::size_t left_out = 0; left_out < subsets; ++left_out) {
      State next = state;
      for (const TensorId tensor : task.writes) {
        const auto place =
            std::find(task.optional.begin(), task.optional.end(), tensor) - task.optional.begin();
        const bool out = place < std::ssize(task.optional) && (left_out >> place & 1) != 0;
        if (!out) next.there |= bit(tensor);
      }
      next.ran |= bit(id);
      if (used(next.there) + task.workspace_bytes <= bytes_)
        reach(next, cost + task.seconds.at("cpu"));
    }
  }

  const Graph& graph_;
  std::int64_t bytes_;
  std::unordered_map<State, double, Hash> cost_;
  std::priority_queue<Entry, std::vector<Entry>, Cheaper> open_;
};

}  // namespace

std::optional<double> least_seconds(const Graph& graph, std::int64_t memory_bytes) {
  return Searching(graph, memory_bytes).search();
}

}  // namespace stint
