#include "planner/placement/placement_window.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "planner/infinity.hpp"

namespace stint {
namespace {

class Cutting {
 public:
  Cutting(const PlacedGraph& graph, const PlacementChoice& choice, int first, int end)
      : graph_(graph), choice_(choice), is_inside_(graph.tasks(), 0) {
    for (int i = first; i < end; ++i) {
      inside_.push_back(choice.order[i]);
      is_inside_[choice.order[i]] = 1;
    }
    std::sort(inside_.begin(), inside_.end());  // the order of the file respects what tasks need
  }

  std::optional<PlacementWindow> cut() {
    for (const TaskId task : inside_) {
      if (!all_whole(task)) return std::nullopt;
    }
    for (const TaskId task : inside_) bring_reads(task);
    for (const TaskId task : inside_) add_inside(task);
    for (const TaskId task : inside_) add_readers(task);
    return made();
  }

 private:
  struct Place {
    TaskId task = no_task;  // of the large graph
    DeviceId device{0};     // where it must be, if it must
    bool is_bound = false;
  };

  bool all_whole(TaskId task) const {
    const GraphTask& flat = graph_.flat.tasks[task];
    const auto is_whole = [&](GraphItemId item) { return graph_.is_whole[item] != 0; };
    return std::all_of(flat.reads.begin(), flat.reads.end(), is_whole) &&
           std::all_of(flat.writes.begin(), flat.writes.end(),
                       [&](const GraphOutput& output) { return is_whole(output.item); });
  }

  TensorId tensor(const std::string& name, std::int64_t bytes) {
    Tensor added;
    added.name = name;
    added.bytes = bytes;
    small_.tensors.push_back(std::move(added));
    return static_cast<TensorId>(small_.tensors.size() - 1);
  }

  Task& add_task(const Place& place) {
    Task task;
    task.name = "t" + std::to_string(small_.tasks.size());
    const Platform& platform = graph_.problem->platform();
    for (std::size_t d = 0; d < platform.devices.size(); ++d)
      task.seconds[device_name(platform, static_cast<DeviceId>(d))] = 0.0;
    small_.tasks.push_back(std::move(task));
    places_.push_back(place);
    return small_.tasks.back();
  }

  std::int64_t bytes_of(TensorId tensor) const {
    return graph_.problem->graph().tensors[tensor].bytes;
  }

  // Something that is on a device when the stretch begins.
  TensorId border(const std::string& name, std::int64_t bytes, DeviceId device) {
    const TensorId made = tensor(name, bytes);
    add_task({no_task, device, true}).writes = {made};
    return made;
  }

  void bring_reads(TaskId task) {
    for (const GraphItemId item : graph_.flat.tasks[task].reads) {
      const GraphItem& read = graph_.flat.items[item];
      if (items_.contains(item) || read.writers.empty() || is_inside_[read.writers.front()])
        continue;
      items_[item] = border("i" + std::to_string(item), bytes_of(read.tensor),
                            choice_.device[read.writers.front()]);
    }
    for (const int state : graph_.reads_state[task]) {
      const auto& updaters = graph_.states[state].updaters;
      if (states_.contains(state) || updaters.empty()) continue;
      states_[state] = border("s" + std::to_string(state), bytes_of(graph_.states[state].tensor),
                              choice_.device[updaters.front()]);
    }
  }

  void add_inside(TaskId task) {
    const bool is_tied = graph_.tied[task].size() > 1 || !graph_.updates_state[task].empty();
    std::vector<TensorId> reads;
    std::vector<TensorId> writes;
    for (const GraphItemId item : graph_.flat.tasks[task].reads) {
      if (items_.contains(item)) reads.push_back(items_.at(item));
    }
    for (const int state : graph_.reads_state[task]) {
      if (states_.contains(state)) reads.push_back(states_.at(state));
    }
    for (const GraphOutput& output : graph_.flat.tasks[task].writes) {
      items_[output.item] = tensor("i" + std::to_string(output.item),
                                   bytes_of(graph_.flat.items[output.item].tensor));
      writes.push_back(items_.at(output.item));
    }
    Task& added = add_task({task, choice_.device[task], is_tied});
    added.op = graph_.problem->graph().tasks[task].op;
    added.reads = std::move(reads);
    added.writes = std::move(writes);
  }

  void add_readers(TaskId task) {
    for (const GraphOutput& output : graph_.flat.tasks[task].writes) {
      std::set<DeviceId> devices;
      for (const TaskId reader : graph_.readers[output.item]) {
        if (!is_inside_[reader]) devices.insert(choice_.device[reader]);
      }
      for (const DeviceId device : devices)
        add_task({no_task, device, true}).reads = {items_.at(output.item)};
    }
  }

  PlacementWindow made() const {
    const Problem& large = *graph_.problem;
    Request request;
    request.objective = large.request().objective;
    request.recompute = request.offload = false;
    PlacementWindow window{make_problem(small_, large.platform(), request, "window"), {}};
    auto& seconds = window.problem.seconds;
    for (std::size_t t = 0; t < places_.size(); ++t) {
      const Place& place = places_[t];
      window.task_of.push_back(place.task);
      for (std::size_t d = 0; d < seconds.size(); ++d) {
        seconds[d][t] = place.task == no_task ? 0 : large.seconds[d][place.task];
        if (place.is_bound && static_cast<int>(d) != place.device) seconds[d][t] = infinity;
      }
    }
    return window;
  }

  const PlacedGraph& graph_;
  const PlacementChoice& choice_;
  std::vector<TaskId> inside_;
  std::vector<char> is_inside_;
  Graph small_;
  std::vector<Place> places_;  // by task of the small graph
  std::map<GraphItemId, TensorId> items_;
  std::map<int, TensorId> states_;
};

}  // namespace

std::optional<PlacementWindow> placement_window(const PlacedGraph& graph,
                                                const PlacementChoice& choice, int first, int end) {
  return Cutting(graph, choice, first, end).cut();
}

PlacementChoice choice_inside(const PlacementWindow& window, const PlacedGraph& inside,
                              const PlacementChoice& choice) {
  std::map<TaskId, TaskId> small;
  for (std::size_t t = 0; t < window.task_of.size(); ++t) {
    if (window.task_of[t] != no_task) small[window.task_of[t]] = static_cast<TaskId>(t);
  }
  TaskOrder order;
  const auto is_first_border = [&](std::size_t t) {
    return window.task_of[t] == no_task && window.problem.before[t].empty();
  };
  for (std::size_t t = 0; t < window.task_of.size(); ++t) {
    if (is_first_border(t)) order.push_back(static_cast<TaskId>(t));
  }
  for (const TaskId task : choice.order) {
    if (small.contains(task)) order.push_back(small.at(task));
  }
  std::vector<DeviceId> devices;
  for (std::size_t t = 0; t < window.task_of.size(); ++t) {
    const TaskId task = window.task_of[t];
    if (task == no_task && !is_first_border(t)) order.push_back(static_cast<TaskId>(t));
    devices.push_back(task == no_task ? inside.ways[t].front().device : choice.device[task]);
  }
  PlacementChoice part = plain_choice(inside, std::move(order), std::move(devices));
  for (const auto& [task, t] : small) part.state[t] = choice.state[task];
  part.device_state = choice.device_state;
  part.ahead = choice.ahead;
  return part;
}

PlacementChoice choice_outside(const PlacementWindow& window, const PlacementChoice& inside,
                               PlacementChoice choice, int first) {
  int place = first;
  for (const TaskId t : inside.order) {
    const TaskId task = window.task_of[t];
    if (task == no_task) continue;
    choice.order[place++] = task;
    choice.device[task] = inside.device[t];
    choice.state[task] = inside.state[t];
  }
  return choice;
}

}  // namespace stint
