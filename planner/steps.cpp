#include "planner/steps.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "planner/optional_output.hpp"

namespace stint {

namespace {

class Drafting {
 public:
  Drafting(const Problem& problem, const Pieces& pieces, const Steps& steps)
      : problem_(problem), pieces_(pieces), steps_(steps), wanted_(wanted(problem)) {
    piece_of_state();
    note_uses();
    make_buffers();
  }

  Draft finish() {
    for (const Step& step : steps_.steps) {
      if (step.task == no_task)
        add_copy(step);
      else
        add_compute(step);
    }
    const auto& results = problem_.graph().results;
    for (std::size_t r = 0; r < results.size(); ++r)
      draft_.kept.push_back(buffer(steps_.result_memory[r], results[r]));
    return std::move(draft_);
  }

 private:
  using Key = std::pair<MemoryId, TensorId>;

  bool is_state(TensorId tensor) const {
    return problem_.graph().tensors[tensor].kind == Kind::state;
  }
  MemoryId memory_of(WorkerId worker) const { return problem_.device_of(worker).memory; }
  const Link& link_of(WorkerId worker) const {
    return problem_.platform().links[problem_.workers[worker].link];
  }
  bool left_out(const Task& task, TensorId output) const {
    return !wanted_[output] && is_optional(task, output);
  }

  // The home of a state is the home of the one piece that covers it.
  void piece_of_state() {
    for (std::size_t p = 0; p < pieces_.tensor.size(); ++p) {
      if (steps_.home[p] != no_memory && is_state(pieces_.tensor[p]))
        use(steps_.home[p], pieces_.tensor[p]);
    }
  }
  MemoryId home_of(TensorId tensor) const {
    return pieces_.of_tensor[tensor].empty() ? no_memory
                                             : steps_.home[pieces_.of_tensor[tensor].front()];
  }
  // Copies of state are not shared: each has a buffer of its own.
  bool is_copy_of_state(MemoryId memory, TensorId tensor) const {
    return is_state(tensor) && home_of(tensor) != memory;
  }

  void use(MemoryId memory, TensorId tensor) {
    if (!is_copy_of_state(memory, tensor)) used_[memory].push_back(tensor);
  }

  void note_uses() {
    for (const Step& step : steps_.steps) {
      if (step.task == no_task) {
        use(link_of(step.worker).from, pieces_.tensor[step.piece]);
        use(link_of(step.worker).to, pieces_.tensor[step.piece]);
        continue;
      }
      const Task& task = problem_.graph().tasks[step.task];
      for (const TensorId tensor : task.reads) use(memory_of(step.worker), tensor);
      for (const TensorId tensor : task.updates) use(memory_of(step.worker), tensor);
      for (const TensorId tensor : task.writes) {
        if (!left_out(task, tensor)) use(memory_of(step.worker), tensor);
      }
    }
    const auto& results = problem_.graph().results;
    for (std::size_t r = 0; r < results.size(); ++r) use(steps_.result_memory[r], results[r]);
  }

  BufferId add_buffer(MemoryId memory, TensorId tensor, bool initial, BufferId within) {
    Buffer buffer;
    buffer.tensor = tensor;
    buffer.memory = memory;
    buffer.bytes = problem_.graph().tensors[tensor].bytes;
    buffer.initial = initial;
    buffer.within = within;
    draft_.buffers.push_back(buffer);
    return static_cast<BufferId>(draft_.buffers.size() - 1);
  }

  // Wholes before the parts that lie in them.
  void make_buffers() {
    for (const auto& [memory, tensors] : used_) {
      const auto cover = covers(problem_, tensors);
      for (const auto& [tensor, whole] : cover) {
        const bool initial = home_of(whole) == memory;
        if (!buffers_.contains({memory, whole}))
          buffers_[{memory, whole}] = add_buffer(memory, whole, initial, no_buffer);
        if (tensor != whole)
          buffers_[{memory, tensor}] = add_buffer(memory, tensor, false, buffers_[{memory, whole}]);
      }
    }
  }

  // The buffer of a tensor in a memory; of a copied state the latest one.
  BufferId buffer(MemoryId memory, TensorId tensor) {
    if (!is_copy_of_state(memory, tensor)) return buffers_.at({memory, tensor});
    const PieceId piece = pieces_.of_tensor[tensor].front();
    const BufferId whole = state_copies_.at({memory, pieces_.tensor[piece]});
    if (tensor == pieces_.tensor[piece]) return whole;
    const auto [part, is_new] = parts_of_copies_.try_emplace({whole, tensor}, no_buffer);
    if (is_new) part->second = add_buffer(memory, tensor, false, whole);
    return part->second;
  }

  void add_copy(const Step& step) {
    const TensorId tensor = pieces_.tensor[step.piece];
    const MemoryId to = link_of(step.worker).to;
    Action action;
    action.what = Do::copy;
    action.worker = step.worker;
    action.occupies = step.occupies;
    action.reads = {buffer(link_of(step.worker).from, tensor)};
    if (is_copy_of_state(to, tensor))
      state_copies_[{to, tensor}] = add_buffer(to, tensor, false, no_buffer);
    action.writes = {buffer(to, tensor)};
    draft_.actions.push_back(std::move(action));
  }

  void add_compute(const Step& step) {
    const Task& task = problem_.graph().tasks[step.task];
    const MemoryId memory = memory_of(step.worker);
    Action action;
    action.worker = step.worker;
    action.task = step.task;
    action.state = steps_.state[problem_.workers[step.worker].device];
    for (const TensorId tensor : task.reads) action.reads.push_back(buffer(memory, tensor));
    for (const TensorId tensor : task.updates) action.updates.push_back(buffer(memory, tensor));
    for (const TensorId tensor : task.writes)
      action.writes.push_back(left_out(task, tensor) ? no_buffer : buffer(memory, tensor));
    if (task.workspace_bytes > 0) action.workspace = add_workspace(memory, task.workspace_bytes);
    draft_.actions.push_back(std::move(action));
  }

  BufferId add_workspace(MemoryId memory, std::int64_t bytes) {
    Buffer buffer;
    buffer.memory = memory;
    buffer.bytes = bytes;
    draft_.buffers.push_back(buffer);
    return static_cast<BufferId>(draft_.buffers.size() - 1);
  }

  const Problem& problem_;
  const Pieces& pieces_;
  const Steps& steps_;
  std::vector<bool> wanted_;
  std::map<MemoryId, std::vector<TensorId>> used_;
  std::map<Key, BufferId> buffers_;
  std::map<Key, BufferId> state_copies_;
  std::map<std::pair<BufferId, TensorId>, BufferId> parts_of_copies_;
  Draft draft_;
};

}  // namespace

Draft draft_of(const Problem& problem, const Pieces& pieces, const Steps& steps) {
  return Drafting(problem, pieces, steps).finish();
}

}  // namespace stint
