#include "planner/graphs/graph_draft.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "planner/chains/chain_plan.hpp"
#include "planner/pieces.hpp"

namespace stint {
namespace {

class Drafting {
 public:
  Drafting(const Problem& problem, const DeviceGraph& graph, const std::vector<int>& states)
      : problem_(problem),
        tasks_(problem.graph().tasks),
        graph_(graph),
        states_(states),
        worker_(problem.first_worker[graph.device]),
        now_(graph.items.size(), no_buffer),
        state_(problem.graph().tensors.size(), no_buffer),
        ran_(tasks_.size(), false) {
    add_state();
  }

  Draft draft(const TaskSequence& sequence) {
    for (const TaskId task : sequence) add(task);
    for (const TensorId result : problem_.graph().results) {
      const ItemId item = graph_.item_of[result];
      if (item != no_item && now_[item] == no_buffer) load(item);
      draft_.kept.push_back(item == no_item ? state_[result] : part(now_[item], result));
    }
    return without_needless(problem_, std::move(draft_));
  }

 private:
  BufferId add_buffer(TensorId tensor, std::int64_t bytes, BufferId within = no_buffer) {
    Buffer buffer;
    buffer.tensor = tensor;
    buffer.memory = graph_.memory;
    buffer.bytes = bytes;
    buffer.within = within;
    draft_.buffers.push_back(buffer);
    return static_cast<BufferId>(draft_.buffers.size() - 1);
  }
  BufferId add_buffer(TensorId tensor) {
    return add_buffer(tensor, problem_.graph().tensors[tensor].bytes);
  }

  // The buffer of a tensor inside the one of all that it shares bytes with.
  BufferId part(BufferId whole, TensorId tensor) {
    if (draft_.buffers[whole].tensor == tensor) return whole;
    const auto [known, is_new] = parts_.try_emplace({whole, tensor}, no_buffer);
    if (is_new) known->second = add_buffer(tensor, problem_.graph().tensors[tensor].bytes, whole);
    return known->second;
  }

  void add_state() {
    std::vector<TensorId> used;
    const auto note = [&](const std::vector<TensorId>& list) {
      for (const TensorId tensor : list) {
        if (problem_.graph().tensors[tensor].kind == Kind::state) used.push_back(tensor);
      }
    };
    for (const Task& task : tasks_) note(task.reads), note(task.updates);
    note(problem_.graph().results);
    std::map<TensorId, BufferId> wholes;
    for (const auto& [tensor, cover] : covers(problem_, used)) {
      const auto [whole, is_new] = wholes.try_emplace(cover, no_buffer);
      if (is_new) {
        whole->second = add_buffer(cover);
        draft_.buffers.back().initial = true;
      }
      state_[tensor] = part(whole->second, tensor);
    }
  }

  void load(ItemId item) {
    Action action;
    action.what = Do::load;
    action.worker = worker_;
    now_[item] = add_buffer(graph_.items[item].tensor);
    action.writes = {now_[item]};
    draft_.actions.push_back(std::move(action));
  }

  BufferId read(TensorId tensor) {
    const ItemId item = graph_.item_of[tensor];
    if (item == no_item) return state_[tensor];
    if (now_[item] == no_buffer) load(item);
    return part(now_[item], tensor);
  }

  // A task that runs again writes anew; what there is only once it writes elsewhere, for nobody.
  BufferId written(TensorId tensor, bool again) {
    const ItemId item = graph_.item_of[tensor];
    const bool is_fixed = graph_.items[item].is_fixed;
    if (is_fixed && again) return add_buffer(tensor);
    if (!is_fixed || now_[item] == no_buffer) now_[item] = add_buffer(graph_.items[item].tensor);
    return part(now_[item], tensor);
  }

  void add(TaskId id) {
    const Task& task = tasks_[id];
    Action action;
    action.worker = worker_;
    action.task = id;
    action.state = states_[id];
    for (const TensorId tensor : task.reads) action.reads.push_back(read(tensor));
    for (const TensorId tensor : task.updates) action.updates.push_back(state_[tensor]);
    for (const TensorId tensor : task.writes) action.writes.push_back(written(tensor, ran_[id]));
    if (task.workspace_bytes > 0) action.workspace = add_buffer(no_tensor, task.workspace_bytes);
    ran_[id] = true;
    draft_.actions.push_back(std::move(action));
  }

  const Problem& problem_;
  const std::vector<Task>& tasks_;
  const DeviceGraph& graph_;
  const std::vector<int>& states_;
  WorkerId worker_;
  std::vector<BufferId> now_;    // by item: its latest instance
  std::vector<BufferId> state_;  // by tensor
  std::vector<bool> ran_;
  std::map<std::pair<BufferId, TensorId>, BufferId> parts_;
  Draft draft_;
};

}  // namespace

Draft graph_draft(const Problem& problem, const DeviceGraph& graph, const TaskSequence& sequence,
                  const std::vector<int>& states) {
  return Drafting(problem, graph, states).draft(sequence);
}

}  // namespace stint
