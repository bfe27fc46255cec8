#include "planner/chains/chain_plan.hpp"

#include <algorithm>
#include <map>

namespace stint {
namespace {

class Translating {
 public:
  Translating(const Problem& problem, const TaskChain& chain, const ChainCrew& crew,
              const CopyOverlap& overlap)
      : problem_(problem),
        graph_(problem.graph()),
        chain_(chain),
        crew_(crew),
        overlap_(overlap),
        now_(graph_.tensors.size(), no_buffer),
        is_kept_result_(graph_.tensors.size(), false),
        slow_(crew.slow.size()) {
    for (const TensorId result : chain.forward_result) is_kept_result_[result] = true;
    add_initial();
  }

  Draft draft(const ChainOperations& operations) {
    for (const ChainOperation& op : operations) perform(op);
    for (const TensorId result : graph_.results)
      draft_.kept.push_back(is_kept_result_[result] ? first_result_.at(result) : now_[result]);
    return without_needless(problem_, std::move(draft_));
  }

 private:
  using Local = std::map<TensorId, BufferId>;

  void add_initial() {
    std::vector<bool> comes_later(graph_.tensors.size(), false);
    for (const TaskStage& stage : chain_.stages) {
      for (const TensorId tensor : stage.own_input) comes_later[tensor] = true;
    }
    std::vector<bool> used(graph_.tensors.size(), false);
    for (const Task& task : graph_.tasks) {
      for (const TensorId tensor : task.reads) used[tensor] = true;
      for (const TensorId tensor : task.updates) used[tensor] = true;
    }
    for (const TensorId result : graph_.results) used[result] = true;
    for (std::size_t t = 0; t < used.size(); ++t) {
      const auto tensor = static_cast<TensorId>(t);
      if (graph_.tensors[t].kind == Kind::activation || !used[t] || comes_later[t]) continue;
      now_[t] = add_buffer(tensor, crew_.memory);
      draft_.buffers.back().initial = true;
    }
  }

  BufferId add_buffer(TensorId tensor, MemoryId memory) {
    Buffer buffer;
    buffer.tensor = tensor;
    buffer.memory = memory;
    buffer.bytes = graph_.tensors[tensor].bytes;
    draft_.buffers.push_back(buffer);
    return static_cast<BufferId>(draft_.buffers.size() - 1);
  }

  void perform(const ChainOperation& op) {
    switch (op.action) {
      case ChainAction::forward:
      case ChainAction::forward_saving:
        return forward(op.index, op.action == ChainAction::forward_saving);
      case ChainAction::backward:
        return backward(op.index);
      case ChainAction::copy:
        return op.to > 0 ? send(op) : fetch(op);
      case ChainAction::drop:
        break;  // a buffer is gone after its last reader
    }
  }

  // Tapes of a forward that saves none are not the ones that the backward reads.
  void forward(int i, bool saving) {
    Local local;
    for (const TaskId task : chain_.stages[i].forward) compute(task, local);
    const TaskStage& stage = chain_.stages[i];
    for (const auto& [tensor, buffer] : local) {
      const auto is_in = [t = tensor](const std::vector<TensorId>& list) {
        return std::find(list.begin(), list.end(), t) != list.end();
      };
      const bool has_bytes = graph_.tensors[tensor].bytes > 0;
      if (!has_bytes || is_in(stage.output) || (saving && is_in(stage.tape))) now_[tensor] = buffer;
      if (is_kept_result_[tensor]) first_result_.try_emplace(tensor, buffer);
    }
  }

  void backward(int i) {
    for (const TaskId task : chain_.stages[i].backward) {
      for (const TensorId tensor : graph_.tasks[task].reads) {
        const auto& own = chain_.stages[i].own_input;
        const bool is_own = std::find(own.begin(), own.end(), tensor) != own.end();
        if (is_own && now_[tensor] == no_buffer) load(tensor);
      }
      Local local;
      compute(task, local);
      for (const auto& [tensor, buffer] : local) now_[tensor] = buffer;
    }
  }

  void compute(TaskId id, Local& local) {
    const Task& task = graph_.tasks[id];
    Action action;
    action.worker = crew_.worker;
    action.task = id;
    action.state = crew_.states[id];
    for (const TensorId tensor : task.reads) {
      const auto here = local.find(tensor);
      action.reads.push_back(here == local.end() ? now_[tensor] : here->second);
    }
    for (const TensorId tensor : task.updates) action.updates.push_back(now_[tensor]);
    for (const TensorId tensor : task.writes) {
      local[tensor] = add_buffer(tensor, crew_.memory);
      action.writes.push_back(local[tensor]);
    }
    if (task.workspace_bytes > 0) action.workspace = add_workspace(task.workspace_bytes);
    if (!overlap_.side_by_side && last_copy_ >= 0) action.after.push_back(ActionId{last_copy_});
    computes_.push_back(static_cast<int>(draft_.actions.size()));
    draft_.actions.push_back(std::move(action));
  }

  BufferId add_workspace(std::int64_t bytes) {
    Buffer buffer;
    buffer.memory = crew_.memory;
    buffer.bytes = bytes;
    draft_.buffers.push_back(buffer);
    return static_cast<BufferId>(draft_.buffers.size() - 1);
  }

  void load(TensorId tensor) {
    Action action;
    action.what = Do::load;
    action.worker = crew_.worker;
    now_[tensor] = add_buffer(tensor, crew_.memory);
    action.writes = {now_[tensor]};
    draft_.actions.push_back(std::move(action));
  }

  // The tensors of x_i, or of the tape of stage i.
  const std::vector<TensorId>& item(const ChainOperation& op) const {
    if (op.of_tape) return chain_.stages[op.index].tape;
    return op.index == 0 ? chain_.input : chain_.stages[op.index - 1].output;
  }

  void send(const ChainOperation& op) {
    const SlowPlace& place = crew_.slow[op.to - 1];
    for (const TensorId tensor : item(op)) {
      const BufferId there = add_buffer(tensor, place.memory);
      slow_[op.to - 1][tensor] = there;
      copy(place.out, now_[tensor], there, last_compute(0));
    }
  }

  void fetch(const ChainOperation& op) {
    const SlowPlace& place = crew_.slow[op.memory - 1];
    for (const TensorId tensor : item(op)) {
      const BufferId there = slow_[op.memory - 1].at(tensor);
      now_[tensor] = add_buffer(tensor, crew_.memory);
      copy(place.back, there, now_[tensor],
           last_compute(overlap_.side_by_side ? overlap_.ahead : 0));
    }
  }

  // The computation before which so many others have been planned since.
  int last_compute(int ahead) const {
    const int count = static_cast<int>(computes_.size());
    return count > ahead ? computes_[count - 1 - ahead] : -1;
  }

  void copy(LinkId link, BufferId from, BufferId to, int after) {
    Action action;
    action.what = Do::copy;
    action.worker = problem_.link_worker[link];
    if (problem_.platform().links[link].blocking) action.occupies = crew_.worker;
    action.reads = {from};
    action.writes = {to};
    if (after >= 0) action.after.push_back(ActionId{after});
    if (!overlap_.side_by_side && last_copy_ >= 0) action.after.push_back(ActionId{last_copy_});
    last_copy_ = static_cast<int>(draft_.actions.size());
    draft_.actions.push_back(std::move(action));
  }

  const Problem& problem_;
  const Graph& graph_;
  const TaskChain& chain_;
  const ChainCrew& crew_;
  CopyOverlap overlap_;
  std::vector<BufferId> now_;  // by tensor: its latest instance in the fast memory
  std::vector<bool> is_kept_result_;
  std::map<TensorId, BufferId> first_result_;
  std::vector<std::map<TensorId, BufferId>> slow_;  // the instances in every slow memory
  std::vector<int> computes_;                       // the places of computations among the actions
  int last_copy_ = -1;
  Draft draft_;
};

}  // namespace

Draft chain_draft(const Problem& problem, const TaskChain& chain, const ChainCrew& crew,
                  const ChainOperations& operations, const CopyOverlap& overlap) {
  return Translating(problem, chain, crew, overlap).draft(operations);
}

}  // namespace stint
