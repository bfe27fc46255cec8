#include "tests/planner/timed/crew_search.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <vector>

namespace stint {
namespace {

struct Running {
  int task = 0;
  int seconds = 0;  // left
  bool operator<(const Running& other) const {
    return std::pair(task, seconds) < std::pair(other.task, other.seconds);
  }
  bool operator==(const Running&) const = default;
};

enum Presence : char { absent, there, gone };  // gone: an input that does not come again

struct State {
  std::vector<char> done;      // by task
  std::vector<char> presence;  // by tensor
  std::vector<Running> running;
  bool operator<(const State& other) const {
    return std::tie(done, presence, running) < std::tie(other.done, other.presence, other.running);
  }
};

class CrewSearch {
 public:
  CrewSearch(const Graph& graph, std::int64_t memory_bytes, const CrewPrices& prices)
      : graph_(graph), memory_bytes_(memory_bytes), prices_(prices) {
    for (const Tensor& tensor : graph_.tensors)
      if (tensor.kind == Kind::state) memory_bytes_ -= tensor.bytes;
  }

  std::optional<double> search() {
    State start{std::vector<char>(graph_.tasks.size(), 0),
                std::vector<char>(graph_.tensors.size(), absent),
                {}};
    reach(start, 0);
    while (!queue_.empty()) {
      const auto [cost, state] = queue_.top();
      queue_.pop();
      if (cost > best_.at(state)) continue;
      const bool is_over =
          std::all_of(state.done.begin(), state.done.end(), [](char done) { return done != 0; });
      if (is_over && state.running.empty()) return cost;
      for (std::size_t t = 0; t < graph_.tasks.size(); ++t) begin(state, cost, static_cast<int>(t));
      for (std::size_t i = 0; i < graph_.tensors.size(); ++i) drop(state, cost, i);
      if (!state.running.empty()) wait(state, cost);
    }
    return std::nullopt;
  }

 private:
  static int seconds(const Task& task) { return static_cast<int>(task.seconds.at("cpu")); }
  bool is_state(TensorId tensor) const { return graph_.tensors[tensor].kind == Kind::state; }

  void reach(const State& state, double cost) {
    const auto [known, is_new] = best_.try_emplace(state, cost);
    if (!is_new && known->second <= cost) return;
    known->second = cost;
    queue_.push({cost, state});
  }

  bool is_running(const State& state, int task) const {
    return std::any_of(state.running.begin(), state.running.end(),
                       [&](const Running& run) { return run.task == task; });
  }
  // What is there, what is being written, also a second time, and workspaces.
  std::int64_t live_bytes(const State& state) const {
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i)
      if (state.presence[i] == there && !is_state(static_cast<TensorId>(i)))
        bytes += graph_.tensors[i].bytes;
    for (const Running& run : state.running) {
      bytes += graph_.tasks[run.task].workspace_bytes;
      for (const TensorId output : graph_.tasks[run.task].writes)
        bytes += graph_.tensors[output].bytes;
    }
    return bytes;
  }

  // State is read before its update begins.
  bool may_read(const State& state, const Task& task) const {
    for (const TensorId read : task.reads) {
      if (!is_state(read)) continue;
      for (std::size_t t = 0; t < graph_.tasks.size(); ++t) {
        const auto& updates = graph_.tasks[t].updates;
        const bool updates_it = std::find(updates.begin(), updates.end(), read) != updates.end();
        if (updates_it && (state.done[t] != 0 || is_running(state, static_cast<int>(t))))
          return false;
      }
    }
    return true;
  }
  bool may_update(const State& state, int task) const {
    for (const TensorId updated : graph_.tasks[task].updates) {
      for (int t = 0; t < static_cast<int>(graph_.tasks.size()); ++t) {
        const auto& reads = graph_.tasks[t].reads;
        const bool is_reader = std::find(reads.begin(), reads.end(), updated) != reads.end();
        if (is_reader && t < task && (state.done[t] == 0 || is_running(state, t))) return false;
      }
    }
    return true;
  }

  void begin(const State& state, double cost, int t) {
    const Task& task = graph_.tasks[t];
    const bool is_again = state.done[t] != 0;
    if (static_cast<int>(state.running.size()) >= prices_.workers || is_running(state, t)) return;
    const bool is_missed =
        std::any_of(task.writes.begin(), task.writes.end(),
                    [&](TensorId output) { return state.presence[output] == absent; });
    if (is_again && (!task.updates.empty() || !is_missed)) return;
    if (!may_read(state, task) || !may_update(state, t)) return;
    State next = state;
    for (const TensorId read : task.reads) {
      if (is_state(read)) continue;
      const bool comes = graph_.tensors[read].kind == Kind::input && state.presence[read] == absent;
      if (state.presence[read] != there && !comes) return;
      next.presence[read] = there;
    }
    next.running.push_back({t, seconds(task)});
    std::sort(next.running.begin(), next.running.end());
    if (live_bytes(next) > memory_bytes_) return;
    reach(next, cost + prices_.busy_watts * seconds(task));
  }

  void drop(const State& state, double cost, std::size_t i) {
    if (state.presence[i] != there) return;
    for (const Running& run : state.running) {
      const auto& reads = graph_.tasks[run.task].reads;
      if (std::find(reads.begin(), reads.end(), static_cast<TensorId>(i)) != reads.end()) return;
    }
    State next = state;
    next.presence[i] = graph_.tensors[i].kind == Kind::input ? gone : absent;
    reach(next, cost);
  }

  void wait(const State& state, double cost) {
    int soonest = state.running.front().seconds;
    for (const Running& run : state.running) soonest = std::min(soonest, run.seconds);
    State next = state;
    next.running.clear();
    for (Running run : state.running) {
      run.seconds -= soonest;
      if (run.seconds > 0) {
        next.running.push_back(run);
        continue;
      }
      next.done[run.task] = 1;
      for (const TensorId output : graph_.tasks[run.task].writes) next.presence[output] = there;
    }
    std::sort(next.running.begin(), next.running.end());
    reach(next, cost + prices_.always_watts * soonest);
  }

  struct Reached {
    double cost = 0;
    State state;
    bool operator<(const Reached& other) const { return cost > other.cost; }
  };

  const Graph& graph_;
  std::int64_t memory_bytes_;
  CrewPrices prices_;
  std::map<State, double> best_;
  std::priority_queue<Reached> queue_;
};

}  // namespace

std::optional<double> least_joules_of_crew(const Graph& graph, std::int64_t memory_bytes,
                                           const CrewPrices& prices) {
  return CrewSearch(graph, memory_bytes, prices).search();
}

}  // namespace stint
