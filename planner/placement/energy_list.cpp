#include "planner/placement/energy_list.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "planner/infinity.hpp"
#include "schedules/clock.hpp"
#include "schedules/cost.hpp"

namespace stint {
namespace {

// What comes to a task from elsewhere.
struct Delivery {
  double arrival_seconds = 0;
  double joules = 0;
  MemoryId from = no_memory;
};

class EnergyList {
 public:
  EnergyList(const PlacedGraph& graph, const EnergyListOptions& options)
      : graph_(graph),
        options_(options),
        memories_(platform().memories.size()),
        channel_(channels(platform())),
        channel_free_(platform().links.size(), 0),
        worker_free_(graph.problem->workers.size(), 0),
        there_since_((graph.flat.items.size() + graph.states.size()) * memories_, infinity),
        memory_of_group_(graph.tasks(), no_memory),
        finished_(graph.tasks(), 0) {
    find_ways();
  }

  std::optional<PlacementChoice> run() {
    PlacementChoice choice =
        plain_choice(graph_, by_rank(), std::vector<DeviceId>(graph_.tasks(), DeviceId{0}));
    for (const TaskId task : choice.order) {
      const auto device = best_device(task);
      if (!device) return std::nullopt;
      commit(task, *device);
      choice.device[task] = *device;
    }
    set_frugal_states(graph_, options_.watts, choice);
    return choice;
  }

 private:
  const Platform& platform() const { return graph_.problem->platform(); }
  std::size_t devices() const { return platform().devices.size(); }
  const PlacedWay* way(TaskId task, std::size_t device) const {
    return ways_[task * devices() + device];
  }

  void find_ways() {
    ways_.assign(graph_.tasks() * devices(), nullptr);
    for (std::size_t t = 0; t < graph_.tasks(); ++t) {
      for (const PlacedWay& way : graph_.ways[t]) {
        const PlacedWay*& best = ways_[t * devices() + way.device];
        const auto cost = [&](const PlacedWay& it) {
          return it.joules + options_.watts * it.seconds;
        };
        if (options_.uses[way.device] && (best == nullptr || cost(way) < cost(*best))) best = &way;
      }
    }
  }

  std::int64_t bytes_of(TensorId tensor) const {
    return graph_.problem->graph().tensors[tensor].bytes;
  }

  // Of a copy between two of the memories in use, by chance.
  double mean_copy_seconds(std::int64_t bytes) const {
    double sum = 0;
    int pairs = 0;
    for (std::size_t a = 0; a < devices(); ++a) {
      for (std::size_t b = 0; b < devices(); ++b) {
        if (!options_.uses[a] || !options_.uses[b]) continue;
        ++pairs;
        const MemoryId from = platform().devices[a].memory;
        for (const LinkId link : graph_.routes[from][platform().devices[b].memory])
          sum += copy_seconds(platform().links[link], bytes);
      }
    }
    return pairs == 0 ? 0 : sum / pairs;
  }

  double mean_seconds(TaskId task) const {
    double sum = 0;
    int count = 0;
    for (std::size_t d = 0; d < devices(); ++d) {
      if (way(task, d) != nullptr) sum += way(task, d)->seconds, ++count;
    }
    return count == 0 ? 0 : sum / count;
  }

  TaskOrder by_rank() const {
    std::vector<double> rank(graph_.tasks(), 0);  // first only what comes after a task
    for (std::size_t t = graph_.tasks(); t-- > 0;) {
      double copies = 0;
      for (const GraphOutput& output : graph_.flat.tasks[t].writes)
        copies = std::max(copies, mean_copy_seconds(output.bytes));
      rank[t] += mean_seconds(static_cast<TaskId>(t)) + copies;
      for (const TaskId other : graph_.problem->before[t])
        rank[other] = std::max(rank[other], rank[t]);
    }
    TaskOrder order(graph_.tasks());
    for (std::size_t t = 0; t < order.size(); ++t) order[t] = static_cast<TaskId>(t);
    std::stable_sort(order.begin(), order.end(),
                     [&](TaskId a, TaskId b) { return rank[a] > rank[b]; });
    return order;
  }

  // Items first, then states.
  double& since(std::size_t thing, MemoryId memory) {
    return there_since_[thing * memories_ + memory];
  }
  std::size_t thing_of_state(int state) const { return graph_.flat.items.size() + state; }
  bool is_anywhere(std::size_t thing) const {
    const auto first = there_since_.begin() + static_cast<std::ptrdiff_t>(thing * memories_);
    return std::any_of(first, first + static_cast<std::ptrdiff_t>(memories_),
                       [](double seconds) { return std::isfinite(seconds); });
  }
  std::int64_t bytes_of_thing(std::size_t thing) const {
    const std::size_t items = graph_.flat.items.size();
    return bytes_of(thing < items ? graph_.flat.items[thing].tensor
                                  : graph_.states[thing - items].tensor);
  }

  Delivery over(std::size_t thing, MemoryId from, MemoryId to) {
    Delivery delivery{since(thing, from), 0, from};
    for (const LinkId link : graph_.routes[from][to]) {
      const Link& way = platform().links[link];
      delivery.arrival_seconds = std::max(delivery.arrival_seconds, channel_free_[channel_[link]]) +
                                 copy_seconds(way, bytes_of_thing(thing));
      delivery.joules += copy_joules(way, bytes_of_thing(thing));
    }
    return delivery;
  }

  // What nobody has used yet, an input or a state, is where it is wanted.
  Delivery delivery(std::size_t thing, MemoryId to) {
    if (std::isfinite(since(thing, to))) return {since(thing, to), 0, to};
    if (!is_anywhere(thing)) return {0, 0, to};
    Delivery best{infinity, infinity, no_memory};
    for (std::size_t m = 0; m < memories_; ++m) {
      const auto from = static_cast<MemoryId>(m);
      if (!std::isfinite(since(thing, from)) || graph_.routes[from][to].empty()) continue;
      const Delivery other = over(thing, from, to);
      if (other.arrival_seconds < best.arrival_seconds) best = other;
    }
    return best;
  }

  void bring(std::size_t thing, MemoryId to) {
    const MemoryId from = delivery(thing, to).from;
    if (from == to) {
      if (!std::isfinite(since(thing, to))) since(thing, to) = 0;
      return;
    }
    for (const LinkId link : graph_.routes[from][to]) {
      const Link& way = platform().links[link];
      if (std::isfinite(since(thing, way.to))) continue;
      double& free = channel_free_[channel_[link]];
      free = std::max(since(thing, way.from), free) + copy_seconds(way, bytes_of_thing(thing));
      since(thing, way.to) = free;
    }
  }

  // Every thing that a task reads. State that nobody updates is everywhere from the start.
  template <typename Visit>
  void for_each_read(TaskId task, Visit visit) {
    for (const GraphItemId item : graph_.flat.tasks[task].reads)
      visit(static_cast<std::size_t>(item));
    for (const int state : graph_.reads_state[task]) {
      if (!graph_.states[state].updaters.empty()) visit(thing_of_state(state));
    }
  }

  TaskId group_of(TaskId task) const { return graph_.tied[task].front(); }

  bool may_settle(TaskId task, MemoryId memory) const {
    const MemoryId settled = memory_of_group_[group_of(task)];
    if (settled != no_memory) return settled == memory;
    const auto& group = graph_.tied[task];
    return std::all_of(group.begin(), group.end(), [&](TaskId tied) {
      for (std::size_t d = 0; d < devices(); ++d) {
        if (way(tied, d) != nullptr && platform().devices[d].memory == memory) return true;
      }
      return false;
    });
  }

  double begin(std::size_t device, double ready) const {
    return std::max(ready, worker_free_[first_free(device)]);
  }
  int first_free(std::size_t device) const {
    const auto first = worker_free_.begin() + graph_.problem->first_worker[device];
    return static_cast<int>(std::min_element(first, first + platform().devices[device].workers) -
                            worker_free_.begin());
  }

  double cost(TaskId task, std::size_t device) {
    const MemoryId memory = platform().devices[device].memory;
    double joules = way(task, device)->joules;
    double ready = ready_before(task);
    for_each_read(task, [&](std::size_t thing) {
      const Delivery coming = delivery(thing, memory);
      ready = std::max(ready, coming.arrival_seconds);
      joules += coming.joules;
    });
    if (!std::isfinite(ready)) return infinity;
    return joules + options_.watts * (begin(device, ready) + way(task, device)->seconds);
  }
  double ready_before(TaskId task) const {
    double ready = 0;
    for (const TaskId other : graph_.problem->before[task])
      ready = std::max(ready, finished_[other]);
    return ready;
  }

  std::optional<DeviceId> best_device(TaskId task) {
    std::optional<DeviceId> best;
    double least = infinity;
    for (std::size_t d = 0; d < devices(); ++d) {
      if (way(task, d) == nullptr || !may_settle(task, platform().devices[d].memory)) continue;
      const double mine = cost(task, d);
      if (mine < least) least = mine, best = static_cast<DeviceId>(d);
    }
    return best;
  }

  void commit(TaskId task, DeviceId device) {
    const MemoryId memory = graph_.memory_of(device);
    double ready = ready_before(task);
    memory_of_group_[group_of(task)] = memory;
    for_each_read(task, [&](std::size_t thing) {
      bring(thing, memory);
      ready = std::max(ready, since(thing, memory));
    });
    settle_states(task, memory);
    const double end = begin(device, ready) + way(task, device)->seconds;
    worker_free_[first_free(device)] = end;
    finished_[task] = end;
    for (const GraphOutput& output : graph_.flat.tasks[task].writes) hold(output.item, memory, end);
    for (const int state : graph_.updates_state[task]) hold(thing_of_state(state), memory, end);
  }

  // State is at home where it is first read, if it can be updated there.
  void settle_states(TaskId task, MemoryId memory) {
    for (const int state : graph_.reads_state[task]) {
      const auto& updaters = graph_.states[state].updaters;
      if (updaters.empty()) continue;
      MemoryId& home = memory_of_group_[group_of(updaters.front())];
      if (home == no_memory && may_settle(updaters.front(), memory)) home = memory;
    }
  }

  void hold(std::size_t thing, MemoryId memory, double seconds) {
    for (std::size_t m = 0; m < memories_; ++m) since(thing, static_cast<MemoryId>(m)) = infinity;
    since(thing, memory) = seconds;
  }

  const PlacedGraph& graph_;
  const EnergyListOptions& options_;
  std::size_t memories_;
  std::vector<const PlacedWay*> ways_;  // by task and device: the one of least cost, or null
  std::vector<int> channel_;            // by link
  std::vector<double> channel_free_;
  std::vector<double> worker_free_;
  std::vector<double> there_since_;        // by thing and memory; infinite: it is not
  std::vector<MemoryId> memory_of_group_;  // by the first of tied tasks
  std::vector<double> finished_;           // by task
};

}  // namespace

void set_frugal_states(const PlacedGraph& graph, double watts, PlacementChoice& choice) {
  const auto& devices = graph.problem->platform().devices;
  std::vector<std::vector<double>> cost(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d) cost[d].assign(choosable_states(devices[d]), 0);
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    double least = infinity;
    for (const PlacedWay& way : graph.ways[t]) {
      if (way.device != choice.device[t]) continue;
      const double mine = way.joules + watts * way.seconds;
      cost[way.device][way.state] += mine;
      if (mine < least) least = mine, choice.state[t] = way.state;
    }
  }
  for (std::size_t d = 0; d < devices.size(); ++d)
    choice.device_state[d] =
        static_cast<int>(std::min_element(cost[d].begin(), cost[d].end()) - cost[d].begin());
}

std::optional<PlacementChoice> list_by_energy(const PlacedGraph& graph,
                                              const EnergyListOptions& options) {
  return EnergyList(graph, options).run();
}

}  // namespace stint
