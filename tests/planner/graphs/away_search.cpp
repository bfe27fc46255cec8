#include "tests/planner/graphs/away_search.hpp"

#include <algorithm>
#include <queue>
#include <unordered_map>
#include <vector>

namespace stint {
namespace {

// Bits: tensors that are in the memory, those on the disk that the step put there, inputs that came
// in, tasks that have run, state in the memory that is newer than on the disk.
struct DiskState {
  std::uint32_t there = 0;
  std::uint32_t on_disk = 0;
  std::uint32_t came = 0;
  std::uint32_t ran = 0;
  std::uint32_t newer = 0;
  bool operator==(const DiskState&) const = default;
};

struct DiskStateHash {
  std::size_t operator()(const DiskState& state) const {
    std::uint64_t hash = 0;
    for (const std::uint32_t bits :
         {state.there, state.on_disk, state.came, state.ran, state.newer})
      hash = hash * 0x9e3779b97f4a7c15u + bits;
    return hash ^ hash >> 29;
  }
};

class SearchingWithDisk {
 public:
  SearchingWithDisk(const Graph& graph, std::int64_t bytes, const DiskPrices& prices,
                    std::uint32_t lives_on_disk)
      : graph_(graph), bytes_(bytes), prices_(prices), lives_on_disk_(lives_on_disk) {
    for (int t = 0; t < tensors(); ++t) {
      if (is_state(t) && !(lives_on_disk & bit(t))) start_.there |= bit(t);
    }
    start_.on_disk = lives_on_disk;
  }

  std::optional<double> search() {
    reach(start_, 0);
    while (!open_.empty()) {
      const auto [minus, state] = open_.top();
      open_.pop();
      if (-minus > cost_.at(state)) continue;
      if (is_goal(state)) return -minus;
      for (int t = 0; t < tensors(); ++t) move(state, -minus, t);
      for (int t = 0; t < std::ssize(graph_.tasks); ++t) run(state, -minus, t);
    }
    return std::nullopt;
  }

 private:
  using Entry = std::pair<double, DiskState>;
  struct Cheaper {
    bool operator()(const Entry& a, const Entry& b) const { return a.first < b.first; }
  };
  static std::uint32_t bit(int i) { return std::uint32_t{1} << i; }
  int tensors() const { return static_cast<int>(graph_.tensors.size()); }
  bool is_state(int t) const { return graph_.tensors[t].kind == Kind::state; }

  std::int64_t used(std::uint32_t there) const {
    std::int64_t sum = 0;
    for (int t = 0; t < tensors(); ++t) sum += there & bit(t) ? graph_.tensors[t].bytes : 0;
    return sum;
  }

  bool is_goal(const DiskState& state) const {
    return state.ran == bit(static_cast<int>(graph_.tasks.size())) - 1 && state.newer == 0 &&
           std::all_of(graph_.results.begin(), graph_.results.end(), [&](TensorId result) {
             return ((state.there | state.on_disk) & bit(result)) != 0;
           });
  }

  void reach(const DiskState& state, double cost) {
    if (used(state.there) > bytes_) return;
    const auto [known, is_new] = cost_.try_emplace(state, cost);
    if (!is_new && known->second <= cost) return;
    known->second = cost;
    open_.push({-cost, state});
  }

  // Out of the memory or into it. What lives in the memory stays there.
  void move(const DiskState& state, double cost, int t) {
    const double copy = prices_.per_byte * static_cast<double>(graph_.tensors[t].bytes);
    const bool stays = is_state(t) && !(lives_on_disk_ & bit(t));
    DiskState next = state;
    if (!(state.there & bit(t))) {
      next.there |= bit(t);
      if (state.on_disk & bit(t)) return reach(next, cost + copy);
      next.came |= bit(t);
      if (graph_.tensors[t].kind == Kind::input && !(state.came & bit(t))) reach(next, cost);
      return;
    }
    if (stays) return;
    next.there &= ~bit(t);
    if (!(state.newer & bit(t))) reach(next, cost);
    next = state;
    next.on_disk |= bit(t);
    next.newer &= ~bit(t);
    if (!(next == state)) reach(next, cost + copy);
  }

  // It reads the version of state that the listed order gives it.
  bool sees_its_version(const DiskState& state, int id) const {
    const Task& task = graph_.tasks[id];
    const auto has = [](const std::vector<TensorId>& list, TensorId tensor) {
      return std::find(list.begin(), list.end(), tensor) != list.end();
    };
    for (int other = 0; other < std::ssize(graph_.tasks); ++other) {
      for (const TensorId updated : graph_.tasks[other].updates) {
        const bool uses = has(task.reads, updated) || has(task.updates, updated);
        if (uses && other != id && ((state.ran & bit(other)) != 0) != (other < id)) return false;
      }
    }
    return true;
  }

  void run(const DiskState& state, double cost, int id) {
    const Task& task = graph_.tasks[id];
    if (!task.updates.empty() && (state.ran & bit(id))) return;
    for (const auto* list : {&task.reads, &task.updates}) {
      for (const TensorId tensor : *list) {
        if (!(state.there & bit(tensor))) return;
      }
    }
    if (!sees_its_version(state, id)) return;
    DiskState next = state;
    for (const TensorId tensor : task.writes) next.there |= bit(tensor);
    for (const TensorId tensor : task.updates) next.newer |= lives_on_disk_ & bit(tensor);
    next.ran |= bit(id);
    if (used(next.there) + task.workspace_bytes <= bytes_)
      reach(next, cost + prices_.per_second * task.seconds.at("cpu"));
  }

  const Graph& graph_;
  std::int64_t bytes_;
  DiskPrices prices_;
  std::uint32_t lives_on_disk_;
  DiskState start_;
  std::unordered_map<DiskState, double, DiskStateHash> cost_;
  std::priority_queue<Entry, std::vector<Entry>, Cheaper> open_;
};

}  // namespace

std::optional<double> least_cost_with_disk(const Graph& graph, std::int64_t memory_bytes,
                                           const DiskPrices& prices) {
  std::uint32_t state = 0;
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
    if (graph.tensors[t].kind == Kind::state) state |= std::uint32_t{1} << t;
  }
  std::optional<double> least;
  for (std::uint32_t some = state;; some = (some - 1) & state) {
    const auto cost = SearchingWithDisk(graph, memory_bytes, prices, some).search();
    if (cost && (!least || *cost < *least)) least = cost;
    if (some == 0) return least;
  }
}

}  // namespace stint
