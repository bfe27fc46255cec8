#include "planner/graphs/block_sequence.hpp"

#include <algorithm>

namespace stint {
namespace {

class Joining {
 public:
  Joining(const Problem& problem, const DeviceGraph& graph, const BlockRow& row,
          const std::vector<Reruns>& ways)
      : problem_(problem),
        graph_(graph),
        row_(row),
        ways_(ways),
        has_run_(graph.tasks.size(), 0),
        is_there_(graph.items.size(), 1),
        is_of_block_(graph.tasks.size(), 0) {
    for (const auto& tasks : row.tasks)
      for (const TaskId task : tasks) is_of_block_[task] = 1;
    while (row.blocks[first_].in_any_memory) ++first_;
  }

  TaskSequence join(const TaskOrder& order) {
    const TaskId begin = row_.tasks[first_][row_.blocks[first_].begin];
    for (const TaskId task : order) {
      if (task == begin) break;
      if (!graph_.tasks[task].runs_once) run_first(task);
    }
    drop_small();
    for (std::size_t j = 0; j < ways_.size(); ++j) keep(static_cast<int>(j));
    // What the first begin reads is there still, whatever blocks keep.
    for (const GraphItemId read : graph_.tasks[begin].reads) is_there_[read] = 1;
    run_first(begin);
    for (std::size_t j = 0; j < ways_.size(); ++j) {
      run_block(static_cast<int>(j));
      run_ready(order);
    }
    for (const TaskId task : order)
      if (!graph_.tasks[task].runs_once) run_first(task);
    for (const TaskId task : order)
      if (graph_.tasks[task].runs_once) insert(task);
    return std::move(sequence_);
  }

 private:
  // Of what was written so far.
  void keep(int j) {
    for (std::size_t i = 0; i < row_.items[j].size(); ++i)
      is_there_[row_.items[j][i]] = (ways_[j].kept >> i & 1) != 0;
  }

  // Items of no block take memory all the same. What is tiny stays: it may be dear to make.
  void drop_small() {
    for (std::size_t i = 0; i < graph_.items.size(); ++i) {
      const GraphItem& item = graph_.items[i];
      const bool is_tiny = item.bytes < graph_.capacity_bytes / tiny_part_of_memory;
      if (!is_tiny && !item.is_fixed && item.writers.size() == 1) is_there_[i] = 0;
    }
  }

  // Tasks of no block that wait for nobody any more.
  void run_ready(const TaskOrder& order) {
    for (const TaskId task : order) {
      if (has_run_[task] || graph_.tasks[task].runs_once || is_of_block_[task]) continue;
      const auto& needs = problem_.needs[task];
      const auto is_done = [&](TaskId other) {
        return has_run_[other] || graph_.tasks[other].runs_once;
      };
      if (std::all_of(needs.begin(), needs.end(), is_done)) run_first(task);
    }
  }

  // The first begin, and tasks of a block's own that may precede its backward, have run before.
  void run_block(int j) {
    if (row_.blocks[j].in_any_memory) return;  // whoever reads of it has it made
    for (const int run : ways_[j].runs) {
      const TaskId task = row_.tasks[j][run];
      const bool may_precede =
          row_.blocks[j].tasks[run].may_precede || (j == first_ && run == row_.blocks[j].begin);
      if (!has_run_[task])
        run_first(task);
      else if (!may_precede)
        run_again(task);
    }
    for (const TaskId task : row_.tasks[j]) run_first(task);
  }

  void run_first(TaskId task) {
    if (has_run_[task]) return;
    for (const TaskId needed : problem_.needs[task])
      if (!graph_.tasks[needed].runs_once) run_first(needed);
    has_run_[task] = 1;
    run_again(task);
  }
  // What it reads and is gone comes first. Every block has dropped what its way makes anew, and
  // does so itself: only what others miss is made here.
  void run_again(TaskId task) {
    for (const GraphItemId read : graph_.tasks[task].reads)
      if (is_there_[read] == 0) run_again(graph_.writer(read));
    sequence_.push_back(task);
    for (const GraphOutput& output : graph_.tasks[task].writes) is_there_[output.item] = 1;
  }

  // An update: as soon as it can, but after the last that sees the state before it.
  void insert(TaskId update) {
    std::size_t place = 0;
    for (std::size_t s = 0; s < sequence_.size(); ++s) {
      const TaskId task = sequence_[s];
      const auto& ends = graph_.tasks[task].ends_with;
      const auto& before = problem_.before[update];
      if (std::find(ends.begin(), ends.end(), update) != ends.end() ||
          std::find(before.begin(), before.end(), task) != before.end())
        place = s + 1;
    }
    sequence_.insert(sequence_.begin() + static_cast<std::ptrdiff_t>(place), update);
  }

  const Problem& problem_;
  const DeviceGraph& graph_;
  const BlockRow& row_;
  const std::vector<Reruns>& ways_;
  int first_ = 0;  // block that is not only of small items
  std::vector<char> has_run_;
  std::vector<char> is_there_;     // by item
  std::vector<char> is_of_block_;  // by task
  TaskSequence sequence_;
};

// Everything that is read was written before, and every task runs.
bool is_sound(const DeviceGraph& graph, const TaskSequence& sequence) {
  std::vector<char> is_written(graph.items.size(), 0);
  std::vector<char> has_run(graph.tasks.size(), 0);
  for (const TaskId task : sequence) {
    for (const GraphItemId read : graph.tasks[task].reads)
      if (!graph.items[read].writers.empty() && !is_written[read]) return false;
    for (const TaskId update : graph.tasks[task].ends_with)
      if (has_run[update]) return false;
    if (graph.tasks[task].runs_once && has_run[task]) return false;
    for (const GraphOutput& output : graph.tasks[task].writes) is_written[output.item] = 1;
    has_run[task] = 1;
  }
  return std::all_of(has_run.begin(), has_run.end(), [](char ran) { return ran != 0; });
}

}  // namespace

TaskSequence block_sequence(const Problem& problem, const DeviceGraph& graph, const BlockRow& row,
                            const std::vector<Reruns>& ways, const TaskOrder& order) {
  const auto is_known = [](const Reruns& way) { return way.is_exact; };
  const auto is_empty = [](const RerunBlock& block) { return block.tasks.empty(); };  // too large
  const bool is_whole = !ways.empty() && std::all_of(ways.begin(), ways.end(), is_known) &&
                        std::none_of(row.blocks.begin(), row.blocks.end(), is_empty);
  if (!is_whole) return {};
  TaskSequence sequence = Joining(problem, graph, row, ways).join(order);
  return is_sound(graph, sequence) ? sequence : TaskSequence{};
}

TaskSequence solved_block_sequence(const Problem& problem, const DeviceGraph& graph,
                                   const BlockRow& row, const TaskOrder& order,
                                   BlockBoundOptions options) {
  options.is_alone = true;
  return block_sequence(problem, graph, row, block_bound(row, options).ways, order);
}

}  // namespace stint
