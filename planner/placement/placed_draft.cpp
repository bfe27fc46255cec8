#include "planner/placement/placed_draft.hpp"

#include <map>
#include <utility>

#include "planner/chains/chain_plan.hpp"

namespace stint {
namespace {

class Drafting {
 public:
  Drafting(const PlacedGraph& graph, const PlacedReplay& replay)
      : graph_(graph), tasks_(graph.problem->graph().tasks), replay_(replay) {}

  Draft draft() {
    for (const PlacedInstance& instance : replay_.instances()) {
      const TensorId tensor = instance.state >= 0 ? graph_.states[instance.state].tensor
                                                  : graph_.flat.items[instance.item].tensor;
      add_buffer(tensor, bytes_of(tensor), instance.memory);
    }
    for (const PlacedStep& step : replay_.steps()) {
      if (step.task == no_task)
        step.from < 0 && is_load(step) ? add_load(step) : add_copy(step);
      else
        add_compute(step);
    }
    for (const TensorId result : graph_.problem->graph().results) keep(result);
    return without_needless(*graph_.problem, std::move(draft_));
  }

 private:
  std::int64_t bytes_of(TensorId tensor) const {
    return graph_.problem->graph().tensors[tensor].bytes;
  }
  bool is_load(const PlacedStep& step) const {
    return replay_.instances()[step.to].item != no_graph_item;
  }
  MemoryId memory_of(WorkerId worker) const { return graph_.problem->device_of(worker).memory; }

  BufferId add_buffer(TensorId tensor, std::int64_t bytes, MemoryId memory,
                      BufferId within = no_buffer) {
    Buffer buffer;
    buffer.tensor = tensor;
    buffer.memory = memory;
    buffer.bytes = bytes;
    buffer.within = within;
    draft_.buffers.push_back(buffer);
    return static_cast<BufferId>(draft_.buffers.size() - 1);
  }

  BufferId part(BufferId whole, TensorId tensor) {
    if (draft_.buffers[whole].tensor == tensor) return whole;
    const auto [known, is_new] = parts_.try_emplace({whole, tensor}, no_buffer);
    if (is_new)
      known->second = add_buffer(tensor, bytes_of(tensor), draft_.buffers[whole].memory, whole);
    return known->second;
  }

  // State where it lives: at home, or, updated by nobody, in every memory where it is read.
  BufferId state_in(int state, MemoryId memory) {
    const auto [known, is_new] = states_.try_emplace({state, memory}, no_buffer);
    if (is_new) {
      const TensorId tensor = graph_.states[state].tensor;
      known->second = add_buffer(tensor, bytes_of(tensor), memory);
      draft_.buffers.back().initial = true;
    }
    return known->second;
  }

  void add_load(const PlacedStep& step) {
    Action action;
    action.what = Do::load;
    action.worker = step.worker;
    action.writes = {static_cast<BufferId>(step.to)};
    add(std::move(action));
  }

  void add_copy(const PlacedStep& step) {
    Action action;
    action.what = Do::copy;
    action.worker = step.worker;
    action.occupies = step.occupies;
    const int state = replay_.instances()[step.to].state;
    action.reads = {step.from >= 0 ? static_cast<BufferId>(step.from)
                                   : state_in(state, replay_.home_of(state))};
    action.writes = {static_cast<BufferId>(step.to)};
    if (step.wait_for >= 0) action.after = {static_cast<ActionId>(step.wait_for)};
    add(std::move(action));
  }

  // Steps and actions have the same places.
  void add(Action action) { draft_.actions.push_back(std::move(action)); }

  void add_compute(const PlacedStep& step) {
    const Task& task = tasks_[step.task];
    const MemoryId memory = memory_of(step.worker);
    Action action;
    action.task = step.task;
    action.worker = step.worker;
    action.state = step.state;
    for (const TensorId tensor : task.reads)
      action.reads.push_back(part(read_whole(step, tensor), tensor));
    for (const TensorId tensor : task.updates)
      action.updates.push_back(part(state_in(graph_.state_of[tensor], memory), tensor));
    for (std::size_t w = 0; w < task.writes.size(); ++w) {
      const auto whole = static_cast<BufferId>(replay_.written()[step.first_written + w]);
      action.writes.push_back(part(whole, task.writes[w]));
    }
    if (task.workspace_bytes > 0)
      action.workspace = add_buffer(no_tensor, task.workspace_bytes, memory);
    add(std::move(action));
  }

  BufferId read_whole(const PlacedStep& step, TensorId tensor) {
    const auto& items = graph_.flat.tasks[step.task].reads;
    const auto& states = graph_.reads_state[step.task];
    int place = step.first_read;
    for (const GraphItemId item : items) {
      if (item == graph_.flat.item_of[tensor]) return static_cast<BufferId>(replay_.read()[place]);
      ++place;
    }
    for (const int state : states) {
      if (state == graph_.state_of[tensor]) break;
      ++place;
    }
    const int copy = replay_.read()[place];
    if (copy >= 0) return static_cast<BufferId>(copy);
    return state_in(graph_.state_of[tensor], memory_of(step.worker));
  }

  void keep(TensorId result) {
    const GraphItemId item = graph_.flat.item_of[result];
    if (item != no_graph_item) {
      draft_.kept.push_back(part(static_cast<BufferId>(replay_.result(item)), result));
      return;
    }
    const int state = graph_.state_of[result];
    MemoryId memory = replay_.home_of(state);
    for (const auto& [place, buffer] : states_) {
      if (place.first == state && memory == no_memory) memory = place.second;
    }
    if (memory == no_memory) memory = graph_.memory_of(DeviceId{0});
    draft_.kept.push_back(part(state_in(state, memory), result));
  }

  const PlacedGraph& graph_;
  const std::vector<Task>& tasks_;
  const PlacedReplay& replay_;
  std::map<std::pair<BufferId, TensorId>, BufferId> parts_;
  std::map<std::pair<int, MemoryId>, BufferId> states_;
  Draft draft_;
};

}  // namespace

Draft placed_draft(const PlacedGraph& graph, const PlacedReplay& replay) {
  return Drafting(graph, replay).draft();
}

}  // namespace stint
