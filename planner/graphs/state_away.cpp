#include "planner/graphs/state_away.hpp"

#include <algorithm>

#include "planner/graphs/state_uses.hpp"
#include "schedules/cost.hpp"

namespace stint {
namespace {

constexpr std::size_t few_states = 3;  // of which all sets are tried
constexpr double least_share = 0.125;
constexpr double more_shares[] = {0, 1.0 / 6, 1.0 / 3, 2.0 / 3, 1};  // of what need not go

class SendingState {
 public:
  SendingState(const Problem& problem, const DeviceGraph& graph)
      : memory_(problem.platform().memories[graph.memory]), problem_(problem), away_(graph) {}

  DeviceGraph send(const std::vector<TensorId>& tensors) {
    for (const StateUse& state : state_uses(problem_)) {
      if (std::find(tensors.begin(), tensors.end(), state.tensor) != tensors.end()) add(state);
    }
    away_.own_tasks = static_cast<int>(away_.tasks.size());
    return std::move(away_);
  }

 private:
  GraphItemId add_item(TensorId tensor, TaskId writer) {
    GraphItem item;
    item.tensor = tensor;
    item.bytes = aligned(problem_.graph().tensors[tensor].bytes, memory_);
    item.writers = {writer};
    away_.items.push_back(item);
    return static_cast<GraphItemId>(away_.items.size() - 1);
  }
  TaskId add_task(GraphTask task) {
    away_.tasks.push_back(std::move(task));
    return static_cast<TaskId>(away_.tasks.size() - 1);
  }

  void add(const StateUse& state) {
    AwayState sent;
    sent.tensor = state.tensor;
    sent.before = add_item(state.tensor, static_cast<TaskId>(away_.tasks.size()));
    const std::int64_t bytes = away_.items[sent.before].bytes;
    GraphTask fetch;
    fetch.writes = {{sent.before, bytes}};
    fetch.ends_with = state.updaters;
    sent.fetch = add_task(std::move(fetch));
    const TaskId update = state.updaters.empty() ? no_task : state.updaters.front();
    if (update != no_task) add_update(update, sent);
    for (const TaskId user : state.users) {
      const bool is_later = update != no_task && user > update;
      away_.tasks[user].reads.push_back(is_later ? sent.updated : sent.before);
    }
    away_.state_bytes -= bytes;
    away_.capacity_bytes += bytes;
    away_.away_state.push_back(sent);
  }

  // In place, so it takes no more room than before; and there once only.
  void add_update(TaskId update, AwayState& sent) {
    sent.updated = add_item(sent.tensor, update);
    away_.items[sent.updated].is_fixed = true;
    const std::int64_t bytes = away_.items[sent.updated].bytes;
    away_.tasks[update].writes.push_back({sent.updated, bytes, false, sent.before, sent.before});
    GraphTask save;
    save.reads = {sent.updated};
    save.runs_once = true;
    sent.save = add_task(std::move(save));
  }

  const Memory& memory_;
  const Problem& problem_;
  DeviceGraph away_;
};

// State that may live elsewhere, with the joules and seconds of its copies as watts make them one.
struct SendableState {
  TensorId tensor = no_tensor;
  std::int64_t bytes = 0;
  double price_per_byte = 0;
};

std::vector<SendableState> sendable_state(const Problem& problem, const DeviceGraph& graph,
                                          const SlowPlace& place) {
  const auto& links = problem.platform().links;
  const double watts = std::max(always_on_watts(problem.platform()), 1.0);
  std::vector<SendableState> all;
  for (const StateUse& state : state_uses(problem)) {
    const std::int64_t bytes = problem.graph().tensors[state.tensor].bytes;
    if (state.updaters.size() > 1 || bytes == 0) continue;
    const auto price = [&](LinkId link) {
      return copy_joules(links[link], bytes) + watts * copy_seconds(links[link], bytes);
    };
    // What a forward and a backward task read is mostly fetched for each.
    const double fetches = state.users.size() == 1 ? 1 : 2;
    const double copies =
        fetches * price(place.back) + (state.updaters.empty() ? 0 : price(place.out));
    const Memory& memory = problem.platform().memories[graph.memory];
    all.push_back({state.tensor, aligned(bytes, memory), copies / static_cast<double>(bytes)});
  }
  std::stable_sort(all.begin(), all.end(), [](const SendableState& a, const SendableState& b) {
    return a.price_per_byte < b.price_per_byte;
  });
  return all;
}

class ChoosingState {
 public:
  ChoosingState(const Problem& problem, const DeviceGraph& graph, const SlowPlace& place)
      : problem_(problem), graph_(graph), state_(sendable_state(problem, graph, place)) {}

  std::vector<std::vector<TensorId>> choices() const {
    if (state_.empty() || !is_possible(first(state_.size()))) return {};
    return state_.size() <= few_states ? all_sets() : growing_sets();
  }

 private:
  bool is_possible(const std::vector<TensorId>& away) const {
    const DeviceGraph graph = with_state_away(problem_, graph_, away);
    return largest_task_bytes(graph) <= graph.capacity_bytes;
  }

  std::vector<TensorId> first(std::size_t count) const {
    std::vector<TensorId> tensors;
    for (std::size_t i = 0; i < count; ++i) tensors.push_back(state_[i].tensor);
    return tensors;
  }

  // The smallest sets first.
  std::vector<std::vector<TensorId>> all_sets() const {
    std::vector<std::vector<TensorId>> sets;
    for (unsigned bits = 1; bits < 1U << state_.size(); ++bits) {
      std::vector<TensorId> set;
      for (std::size_t i = 0; i < state_.size(); ++i) {
        if ((bits >> i & 1U) != 0) set.push_back(state_[i].tensor);
      }
      if (is_possible(set)) sets.push_back(std::move(set));
    }
    std::stable_sort(sets.begin(), sets.end(),
                     [](const auto& a, const auto& b) { return a.size() < b.size(); });
    return sets;
  }

  // The more are away, the more room there is beside any task.
  std::size_t fewest() const {
    std::size_t low = 1;
    std::size_t high = state_.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      is_possible(first(middle)) ? high = middle : low = middle + 1;
    }
    return low;
  }

  std::vector<std::vector<TensorId>> growing_sets() const {
    std::vector<std::int64_t> bytes{0};  // of the first so many
    for (const SendableState& state : state_) bytes.push_back(bytes.back() + state.bytes);
    const auto all = static_cast<double>(bytes.back());
    const double least = std::max(static_cast<double>(bytes[fewest()]), all * least_share);
    std::vector<std::vector<TensorId>> sets;
    std::size_t last = 0;
    for (const double share : more_shares) {
      const auto wanted = static_cast<std::int64_t>(least + (all - least) * share);
      const auto at = std::lower_bound(bytes.begin(), bytes.end(), wanted);
      const auto count = std::min<std::size_t>(at - bytes.begin(), state_.size());
      if (count > last) sets.push_back(first(count));
      last = std::max(last, count);
    }
    return sets;
  }

  const Problem& problem_;
  const DeviceGraph& graph_;
  std::vector<SendableState> state_;
};

}  // namespace

DeviceGraph with_state_away(const Problem& problem, const DeviceGraph& graph,
                            const std::vector<TensorId>& away) {
  return SendingState(problem, graph).send(away);
}

TaskOrder with_state_copies(const DeviceGraph& graph, const TaskOrder& order) {
  std::vector<char> is_there(graph.items.size(), 0);
  std::vector<std::vector<TaskId>> saves(graph.tasks.size());  // by the task that updates
  for (const AwayState& state : graph.away_state) {
    if (state.save != no_task) saves[graph.writer(state.updated)].push_back(state.save);
  }
  TaskOrder all;
  for (const TaskId task : order) {
    for (const GraphItemId read : graph.tasks[task].reads) {
      const auto& writers = graph.items[read].writers;
      if (writers.empty() || !graph.is_fetch(writers.front()) || is_there[read]) continue;
      is_there[read] = 1;
      all.push_back(writers.front());
    }
    all.push_back(task);
    all.insert(all.end(), saves[task].begin(), saves[task].end());
  }
  return all;
}

std::int64_t largest_task_bytes(const DeviceGraph& graph) {
  std::int64_t largest = 0;
  for (const GraphTask& task : graph.tasks) {
    std::int64_t bytes = task.workspace_bytes;
    for (const GraphItemId read : task.reads) bytes += graph.items[read].bytes;
    for (const GraphOutput& output : task.writes) {
      const bool is_read = std::binary_search(task.reads.begin(), task.reads.end(), output.item);
      const bool takes_none = output.is_optional || output.at_most_in != no_graph_item || is_read;
      if (!takes_none) bytes += output.bytes;
    }
    largest = std::max(largest, bytes);
  }
  return largest;
}

std::vector<std::vector<TensorId>> away_choices(const Problem& problem, const DeviceGraph& graph,
                                                const SlowPlace& place) {
  return ChoosingState(problem, graph, place).choices();
}

}  // namespace stint
