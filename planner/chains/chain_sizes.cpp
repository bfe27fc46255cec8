#include "planner/chains/chain_sizes.hpp"

#include <algorithm>
#include <set>

#include "planner/chains/block_peak.hpp"
#include "planner/optional_output.hpp"

namespace stint {
namespace {

// The solvers add up a few of these.
constexpr std::int64_t most_countable_bytes = std::int64_t{1} << 57;

class Sizing {
 public:
  Sizing(const Problem& problem, const TaskChain& chain, MemoryId memory)
      : problem_(problem),
        graph_(problem.graph()),
        chain_(chain),
        memory_(problem.platform().memories[memory]),
        made_(graph_.tensors.size(), nowhere),
        read_(graph_.tensors.size(), nowhere),
        is_result_(graph_.tensors.size(), false) {
    for (const TensorId result : graph_.results) is_result_[result] = true;
    for (int i = 0; i < stages(); ++i) {
      for (const TaskId task : chain.stages[i].backward) note_backward(task, i);
    }
  }

  ChainSizes sizes() {
    ChainSizes sizes;
    set_gradients();
    exact_ = chain_.resident_input.empty() && chain_.forward_result.empty() &&
             std::none_of(backward_tensors_.begin(), backward_tensors_.end(),
                          [&](TensorId tensor) { return skips(tensor); });
    sizes.problem.input_bytes = total(chain_.input);
    sizes.problem.last_forward = chain_.last_forward;
    sizes.for_bounds = sizes.problem;
    for (int i = 0; i < stages(); ++i) {
      sizes.problem.stages.push_back(stage(i));
      sizes.for_bounds.stages.push_back(at_least(i, sizes.problem.stages.back()));
    }
    sizes.resident_bytes =
        total(used_state()) + total(chain_.resident_input) + total(chain_.forward_result);
    sizes.covers_all = exact_;
    return sizes;
  }

  bool in_range() const {
    std::int64_t sum = 0;
    for (const Tensor& tensor : graph_.tensors)
      sum = capped_sum(sum, aligned(tensor.bytes, memory_));
    for (const Task& task : graph_.tasks)
      sum = capped_sum(sum, aligned(task.workspace_bytes, memory_));
    return sum < most_countable_bytes;
  }

 private:
  static constexpr int nowhere = -1;
  using Tensors = std::vector<TensorId>;

  int stages() const { return static_cast<int>(chain_.stages.size()); }
  std::int64_t size(TensorId tensor) const {
    return aligned(graph_.tensors[tensor].bytes, memory_);
  }
  std::int64_t total(const Tensors& tensors) const {
    std::int64_t sum = 0;
    for (const TensorId tensor : tensors) sum += size(tensor);
    return sum;
  }

  void note_backward(TaskId id, int stage) {
    const Task& task = graph_.tasks[id];
    for (const TensorId tensor : task.writes) {
      made_[tensor] = stage;
      if (size(tensor) > 0) backward_tensors_.push_back(tensor);
    }
    for (const TensorId tensor : task.reads) {
      if (read_[tensor] == nowhere || stage < read_[tensor]) read_[tensor] = stage;
    }
  }

  Tensors used_state() const {
    std::set<TensorId> all;
    for (const Task& task : graph_.tasks) {
      all.insert(task.updates.begin(), task.updates.end());
      for (const TensorId tensor : task.reads) {
        if (graph_.tensors[tensor].kind == Kind::state) all.insert(tensor);
      }
    }
    return {all.begin(), all.end()};
  }

  // What a backward makes for the next one is its gradient. What is for a later one counts as left
  // to the end of the step, which is longer than needed.
  bool skips(TensorId tensor) const {
    return read_[tensor] != nowhere && read_[tensor] < made_[tensor] - 1;
  }
  bool is_left(TensorId tensor) const { return is_result_[tensor] || skips(tensor); }
  void set_gradients() {
    gradients_.assign(stages() + 1, {});
    for (const TensorId tensor : backward_tensors_) {
      if (is_left(tensor)) continue;
      if (read_[tensor] == made_[tensor] - 1) gradients_[made_[tensor]].push_back(tensor);
    }
  }

  ChainStage stage(int i) {
    const TaskStage& tasks = chain_.stages[i];
    ChainStage stage;
    stage.output_bytes = total(tasks.output);
    stage.tape = tasks.tape.empty() ? Tape::none : Tape::beside;
    stage.tape_bytes = total(tasks.tape);
    stage.backward_reads_input = tasks.backward_reads_input;
    stage.backward_reads_output = tasks.backward_reads_output;
    set_forward(tasks, stage);
    set_backward(i, stage);
    return stage;
  }

  void set_forward(const TaskStage& tasks, ChainStage& stage) {
    Block block{tasks.forward, {}, tasks.output, {}};
    const std::int64_t unsaved = block_peak(problem_, block, memory_).bytes - stage.output_bytes;
    block.stays.insert(block.stays.end(), tasks.tape.begin(), tasks.tape.end());
    stage.forward_workspace_bytes =
        block_peak(problem_, block, memory_).bytes - stage.output_bytes - stage.tape_bytes;
    stage.unsaved_workspace_bytes = unsaved - stage.forward_workspace_bytes;
    exact_ = exact_ && tasks.forward.size() <= 1;
    for (const TaskId task : tasks.forward) {
      for (const TensorId output : tasks.output)
        exact_ = exact_ && !is_optional(graph_.tasks[task], output);
      for (const auto& [y, x] : graph_.tasks[task].may_overwrite) exact_ = exact_ && !fits(y, x);
    }
  }

  void set_backward(int i, ChainStage& stage) {
    const TaskStage& tasks = chain_.stages[i];
    Block block{tasks.backward, gradients_[i + 1], gradients_[i], tasks.own_input};
    stage.backward_leaves_bytes = add_left(block);
    const StagePeak peak = block_peak(problem_, block, memory_);
    const std::int64_t before = total(block.given);
    stage.gradient_bytes = total(gradients_[i]);
    set_backward_workspace(std::max<std::int64_t>(0, peak.bytes - before), before, stage);
    exact_ = exact_ && is_one_task(block, i);
  }

  // What the block leaves for the end of the step stays when it ends; gives its bytes.
  std::int64_t add_left(Block& block) const {
    std::int64_t bytes = 0;
    for (const TaskId task : block.tasks) {
      for (const TensorId tensor : graph_.tasks[task].writes) {
        if (!is_left(tensor)) continue;
        block.stays.push_back(tensor);
        bytes += size(tensor);
      }
    }
    return bytes;
  }

  // The first task of a backward needs what it needs, whatever the schedule.
  ChainStage at_least(int i, ChainStage stage) {
    Block block{chain_.stages[i].backward, gradients_[i + 1], gradients_[i],
                chain_.stages[i].own_input};
    while (block.tasks.size() > 1) block.tasks.pop_back();
    const std::int64_t before = total(block.given);
    const std::int64_t more = block_peak(problem_, block, memory_).bytes - before;
    stage.backward_leaves_bytes = i == 0 ? add_left(block) : 0;
    const std::int64_t counted =
        set_backward_workspace(std::max<std::int64_t>(0, more), before, stage);
    exact_ = exact_ && counted <= std::max<std::int64_t>(0, more);
    return stage;
  }

  // `more`: what the backward adds to what is there before it. Gives what the model counts.
  std::int64_t set_backward_workspace(std::int64_t more, std::int64_t before, ChainStage& stage) {
    const std::int64_t written = stage.gradient_bytes + stage.backward_leaves_bytes;
    stage.gradient_in_place = more < written && stage.gradient_bytes <= before;
    const std::int64_t counted = stage.gradient_in_place ? stage.backward_leaves_bytes : written;
    stage.backward_workspace_bytes = std::max<std::int64_t>(0, more - counted);
    return counted + stage.backward_workspace_bytes;
  }

  bool fits(TensorId y, TensorId x) const {
    return graph_.tensors[y].bytes > 0 && graph_.tensors[y].bytes <= graph_.tensors[x].bytes;
  }
  static bool has(const Tensors& tensors, TensorId tensor) {
    return std::find(tensors.begin(), tensors.end(), tensor) != tensors.end();
  }

  // The backward acts as one task: the first reads all that the stage has for it, writes all that
  // stays; those behind it read only what it wrote, and state.
  bool is_one_task(const Block& block, int stage) const {
    if (block.tasks.empty()) return true;
    const Task& first = graph_.tasks[block.tasks.front()];
    if (!first.optional.empty()) return false;
    for (const auto& [y, x] : first.may_overwrite) {
      if (fits(y, x) && !has(block.given, x)) return false;
    }
    const auto from_first = [&](TensorId tensor) { return has(first.writes, tensor); };
    if (!std::all_of(block.stays.begin(), block.stays.end(), from_first)) return false;
    for (std::size_t t = 1; t < block.tasks.size(); ++t) {
      for (const TensorId tensor : graph_.tasks[block.tasks[t]].reads) {
        const bool free = size(tensor) == 0 || graph_.tensors[tensor].kind == Kind::state;
        if (!free && made_[tensor] != stage) return false;
      }
    }
    return true;
  }

  const Problem& problem_;
  const Graph& graph_;
  const TaskChain& chain_;
  const Memory& memory_;
  std::vector<int> made_;  // by tensor: the backward stage that writes it
  std::vector<int> read_;  // the last one, which is the smallest, that reads it
  std::vector<bool> is_result_;
  Tensors backward_tensors_;
  std::vector<Tensors> gradients_;  // by boundary
  bool exact_ = true;
};

}  // namespace

std::optional<ChainSizes> chain_sizes(const Problem& problem, const TaskChain& chain,
                                      MemoryId memory) {
  Sizing sizing(problem, chain, memory);
  if (!sizing.in_range()) return std::nullopt;
  return sizing.sizes();
}

}  // namespace stint
