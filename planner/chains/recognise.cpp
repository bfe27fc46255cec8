#include "planner/chains/recognise.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "planner/chains/forward_cuts.hpp"

namespace stint {
namespace {

constexpr int no_stage = -1;

// One attempt with given cuts: which stage every task and tensor belongs to.
class Recognition {
 public:
  Recognition(const Graph& graph, const std::vector<std::vector<TaskId>>& before,
              const Halves& halves, const std::vector<ForwardCut>& cuts)
      : graph_(graph),
        before_(before),
        halves_(halves),
        cuts_(cuts),
        last_forward_(cuts.empty() || cuts.back().place < static_cast<int>(halves.forward.size())),
        stage_of_task_(graph.tasks.size(), no_stage),
        maker_stage_(graph.tensors.size(), no_stage),
        cut_of_(graph.tensors.size(), no_stage) {
    place_forward();
    place_inputs();
    for (const TaskId task : halves.backward) place_backward(task);
  }

  int stages() const { return static_cast<int>(cuts_.size()) + 1; }

  // Cuts that a backward task reads across: it needs both sides at once.
  std::set<int> cuts_in_the_way() const {
    std::set<int> bad;
    for (const TaskId task : halves_.backward) {
      const int s = stage_of_task_[task];
      for (const TensorId tensor : graph_.tasks[task].reads) {
        const int most = last_stage_reading(tensor);
        for (int cut = s; most != no_stage && cut < most; ++cut) bad.insert(cut);
      }
    }
    const int last = stages() - 1;
    if (!last_forward_ && !reads_input(last)) bad.insert(last - 1);
    return bad;
  }

  TaskChain chain() {
    give_to_empty_stages();
    TaskChain chain;
    chain.stages.resize(stages());
    chain.last_forward = last_forward_;
    for (const TaskId task : halves_.forward) stage(chain, task).forward.push_back(task);
    for (const TaskId task : halves_.backward) stage(chain, task).backward.push_back(task);
    for (std::size_t c = 0; c < cuts_.size(); ++c) {
      if (cuts_[c].tensor != no_tensor && has_bytes(cuts_[c].tensor))
        chain.stages[c].output = {cuts_[c].tensor};
    }
    for (int i = 0; i < stages(); ++i) set_reads(i, chain.stages[i]);
    set_inputs(chain);
    for (const TensorId result : graph_.results) {
      if (maker_stage_[result] != no_stage && has_bytes(result))
        chain.forward_result.push_back(result);
    }
    return chain;
  }

 private:
  bool has_bytes(TensorId tensor) const { return graph_.tensors[tensor].bytes > 0; }
  TaskStage& stage(TaskChain& chain, TaskId task) const {
    return chain.stages[stage_of_task_[task]];
  }

  void place_forward() {
    int stage = 0;
    for (std::size_t p = 0; p < halves_.forward.size(); ++p) {
      while (stage + 1 < stages() && cuts_[stage].place <= static_cast<int>(p)) ++stage;
      stage_of_task_[halves_.forward[p]] = stage;
      for (const TensorId tensor : graph_.tasks[halves_.forward[p]].writes)
        maker_stage_[tensor] = stage;
    }
    for (std::size_t c = 0; c < cuts_.size(); ++c) {
      if (cuts_[c].tensor != no_tensor) cut_of_[cuts_[c].tensor] = static_cast<int>(c);
    }
  }

  // Inputs that only the first forward reads are x_0.
  void place_inputs() {
    std::vector<bool> elsewhere(graph_.tensors.size(), false);
    is_first_input_.assign(graph_.tensors.size(), false);
    for (const TaskId task : halves_.forward) {
      for (const TensorId tensor : graph_.tasks[task].reads) {
        if (graph_.tensors[tensor].kind != Kind::input || !has_bytes(tensor)) continue;
        if (stage_of_task_[task] == 0)
          is_first_input_[tensor] = true;
        else
          elsewhere[tensor] = true;
      }
    }
    for (const TensorId result : graph_.results) elsewhere[result] = true;
    for (std::size_t t = 0; t < elsewhere.size(); ++t)
      is_first_input_[t] = is_first_input_[t] && !elsewhere[t];
  }

  // The latest stage, in the order of the backward, at which the tensor can still be read: after it
  // nothing makes it again. As the input of its stage x_i can be read one stage earlier.
  int first_stage_reading(TensorId tensor) const {
    if (is_first_input_[tensor]) return 0;
    if (cut_of_[tensor] != no_stage) return cut_of_[tensor] + 1;
    return has_bytes(tensor) ? maker_stage_[tensor] : no_stage;
  }
  int last_stage_reading(TensorId tensor) const {
    if (is_first_input_[tensor]) return 0;
    return has_bytes(tensor) ? maker_stage_[tensor] : no_stage;
  }

  void place_backward(TaskId id) {
    int s = stages() - 1;
    const Task& task = graph_.tasks[id];
    for (const TensorId tensor : task.reads) {
      const int first = first_stage_reading(tensor);
      if (first != no_stage) s = std::min(s, first);
    }
    const bool updates = !task.updates.empty();
    for (const TaskId earlier : before_[id]) {
      // An update waits for the forwards that read the version before.
      if (updates || is_backward(earlier)) s = std::min(s, stage_of_task_[earlier]);
    }
    stage_of_task_[id] = s;
  }
  bool is_backward(TaskId task) const {
    return !std::binary_search(halves_.forward.begin(), halves_.forward.end(), task);
  }

  bool reads_cut(TaskId task, int cut) const {
    const auto& reads = graph_.tasks[task].reads;
    return cut >= 0 && cut < static_cast<int>(cuts_.size()) && cuts_[cut].tensor != no_tensor &&
           std::find(reads.begin(), reads.end(), cuts_[cut].tensor) != reads.end();
  }
  bool reads_tape(TaskId task, int stage) const {
    const auto& reads = graph_.tasks[task].reads;
    return std::any_of(reads.begin(), reads.end(), [&](TensorId tensor) {
      return has_bytes(tensor) && maker_stage_[tensor] == stage && cut_of_[tensor] != stage;
    });
  }
  bool reads_input(int stage) const {
    return std::any_of(halves_.backward.begin(), halves_.backward.end(), [&](TaskId task) {
      return stage_of_task_[task] == stage && reads_cut(task, stage - 1);
    });
  }

  // A stage whose backward reads its output only was placed with the stage behind it, for which
  // that is the input. Where a stage is left with nothing, it gets what can still run then.
  void give_to_empty_stages() {
    std::vector<std::vector<TaskId>> block(stages());
    for (const TaskId task : halves_.backward) block[stage_of_task_[task]].push_back(task);
    for (int i = stages() - 2; i >= 0; --i) {
      if (!block[i].empty()) continue;
      for (const TaskId task : movable(block[i + 1], i + 1)) {
        stage_of_task_[task] = i;
        block[i].push_back(task);
      }
      std::erase_if(block[i + 1], [&](TaskId task) { return stage_of_task_[task] == i; });
    }
  }

  // The first task that reads x_i and something made in the same block, with all in the block that
  // depend on it, if none of them needs what is gone by then.
  std::vector<TaskId> movable(const std::vector<TaskId>& block, int i) const {
    for (std::size_t b = 1; b < block.size(); ++b) {
      if (!reads_cut(block[b], i - 1) || !follows(block[b], {block.begin(), block.begin() + b}))
        continue;
      std::vector<TaskId> moved{block[b]};
      for (std::size_t later = b + 1; later < block.size(); ++later) {
        if (follows(block[later], moved)) moved.push_back(block[later]);
      }
      const bool needs_more = std::any_of(moved.begin(), moved.end(), [&](TaskId task) {
        return reads_tape(task, i) || reads_cut(task, i);
      });
      if (!needs_more) return moved;
    }
    return {};
  }
  bool follows(TaskId task, const std::vector<TaskId>& earlier) const {
    return std::any_of(earlier.begin(), earlier.end(), [&](TaskId other) {
      return std::binary_search(before_[task].begin(), before_[task].end(), other);
    });
  }

  void set_reads(int i, TaskStage& stage) const {
    std::set<TensorId> tape;
    for (const TaskId task : stage.backward) {
      stage.backward_reads_output = stage.backward_reads_output || reads_cut(task, i);
      stage.backward_reads_input = stage.backward_reads_input || reads_cut(task, i - 1);
      for (const TensorId tensor : graph_.tasks[task].reads) {
        if (i == 0 && is_first_input_[tensor]) stage.backward_reads_input = true;
        if (has_bytes(tensor) && maker_stage_[tensor] == i && cut_of_[tensor] != i)
          tape.insert(tensor);
      }
    }
    stage.tape.assign(tape.begin(), tape.end());
  }

  void set_inputs(TaskChain& chain) const {
    std::vector<std::set<int>> forward(graph_.tensors.size()), backward(graph_.tensors.size());
    for (std::size_t t = 0; t < graph_.tasks.size(); ++t) {
      auto& stages = is_backward(static_cast<TaskId>(t)) ? backward : forward;
      for (const TensorId tensor : graph_.tasks[t].reads) stages[tensor].insert(stage_of_task_[t]);
    }
    std::vector<bool> is_result(graph_.tensors.size(), false);
    for (const TensorId result : graph_.results) is_result[result] = true;
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
      const auto tensor = static_cast<TensorId>(i);
      if (graph_.tensors[i].kind != Kind::input || !has_bytes(tensor)) continue;
      const bool is_read = !forward[i].empty() || !backward[i].empty();
      if (is_first_input_[i])
        chain.input.push_back(tensor);
      else if (forward[i].empty() && backward[i].size() == 1 && !is_result[i])
        chain.stages[*backward[i].begin()].own_input.push_back(tensor);
      else if (is_read || is_result[i])
        chain.resident_input.push_back(tensor);
    }
  }

  const Graph& graph_;
  const std::vector<std::vector<TaskId>>& before_;
  const Halves& halves_;
  const std::vector<ForwardCut>& cuts_;
  bool last_forward_;
  std::vector<int> stage_of_task_;
  std::vector<int> maker_stage_;  // by tensor: the stage whose forward writes it
  std::vector<int> cut_of_;       // by tensor: the cut that it is
  std::vector<bool> is_first_input_;
};

std::string fault_of(const Graph& graph, const std::vector<std::vector<TaskId>>& before,
                     const Halves& halves) {
  for (const Tensor& tensor : graph.tensors) {
    if (tensor.part_of) return "the tensor " + tensor.name + " is a part of another";
  }
  if (halves.forward.empty()) return "there is no forward task";
  if (halves.backward.empty()) return "there is no backward task";
  for (const TaskId task : halves.forward) {
    if (!graph.tasks[task].updates.empty())
      return "the forward task " + graph.tasks[task].name + " updates state";
    for (const TaskId earlier : before[task]) {
      if (!std::binary_search(halves.forward.begin(), halves.forward.end(), earlier))
        return "the forward task " + graph.tasks[task].name + " waits for " +
               graph.tasks[earlier].name + ", which is not forward";
    }
  }
  return "";
}

}  // namespace

Recognised recognise_chain(const Graph& graph, const std::vector<std::vector<TaskId>>& before) {
  const Halves halves = halves_of(graph);
  std::string fault = fault_of(graph, before, halves);
  if (!fault.empty()) return {{}, std::move(fault)};
  std::vector<ForwardCut> cuts = forward_cuts(graph, halves);
  while (!cuts.empty()) {
    Recognition attempt(graph, before, halves, cuts);
    const std::set<int> bad = attempt.cuts_in_the_way();
    if (bad.empty()) return {attempt.chain(), ""};
    std::vector<ForwardCut> left;
    for (std::size_t c = 0; c < cuts.size(); ++c) {
      if (!bad.contains(static_cast<int>(c))) left.push_back(cuts[c]);
    }
    cuts = std::move(left);
  }
  return {{}, "no single tensor separates earlier forward tasks from later ones"};
}

}  // namespace stint
