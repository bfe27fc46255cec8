#include "planner/graphs/block_row.hpp"

#include <algorithm>

#include "models/graph_algorithms.hpp"
#include "planner/order.hpp"

namespace stint {
namespace {

constexpr std::size_t up_to_tasks = 5000;
constexpr std::size_t most_in_place = 3;  // outputs of a task
constexpr std::int64_t small_part = 128;  // of the memory: what is smaller has blocks of its own
constexpr int nowhere = -1;

class RowOfBlocks {
 public:
  RowOfBlocks(const Problem& problem, const DeviceGraph& graph, const TaskChain& chain,
              const std::vector<std::int64_t>& costs)
      : graph_(graph),
        chain_(chain),
        costs_(costs),
        reaches_(reachability(problem.needs)),
        readers_(graph.items.size()) {
    for (std::size_t t = 0; t < graph.tasks.size(); ++t)
      for (const GraphItemId read : graph.tasks[t].reads)
        readers_[read].push_back(static_cast<TaskId>(t));
    find_items();
  }

  BlockRow make(const RowShape& shape) {
    find_begins(shape);
    if (begins_.size() < 2) return {};
    divide();
    divide_small();
    BlockRow row;
    for (std::size_t j = 0; j < begins_.size(); ++j) {
      add_small_block(static_cast<int>(j), row);
      add_block(static_cast<int>(j), row);
    }
    row.first_bytes = beside_bytes(begins_.front(), nowhere);
    return row;
  }

 private:
  // What is small, or is only read by updates, which come at once, is an item of no block.
  void find_items() {
    for (std::size_t i = 0; i < graph_.items.size(); ++i) {
      const GraphItem& item = graph_.items[i];
      const auto is_update = [&](TaskId reader) { return graph_.tasks[reader].runs_once; };
      const bool is_one = item.writers.size() <= 1 && item.bytes > 0 &&
                          !std::all_of(readers_[i].begin(), readers_[i].end(), is_update);
      const bool is_small = item.bytes < graph_.capacity_bytes / small_part;
      counts_.push_back(is_one && !is_small);
      is_small_.push_back(is_one && is_small &&
                          item.bytes >= graph_.capacity_bytes / tiny_part_of_memory);
    }
  }
  bool counts(GraphItemId item) const { return counts_[item]; }
  bool is_idle(TaskId t) const {
    const GraphTask& task = graph_.tasks[t];
    return task.runs_once ||
           (std::none_of(task.reads.begin(), task.reads.end(),
                         [&](GraphItemId read) { return counts(read); }) &&
            std::none_of(task.writes.begin(), task.writes.end(),
                         [&](const GraphOutput& output) { return counts(output.item); }));
  }
  std::size_t count_of(const TaskStage& stage) const {
    const auto matters = [&](TaskId task) { return !is_idle(task); };
    return std::count_if(stage.forward.begin(), stage.forward.end(), matters) +
           std::count_if(stage.backward.begin(), stage.backward.end(), matters);
  }

  // Stages in a row until there are enough tasks; the first block begins behind the last stages.
  void find_begins(const RowShape& shape) {
    stage_of_.assign(graph_.tasks.size(), nowhere);
    for (std::size_t s = 0; s < chain_.stages.size(); ++s)
      for (const TaskId task : chain_.stages[s].backward) stage_of_[task] = static_cast<int>(s);
    std::size_t tasks = shape.tasks_of_block + 1;  // the first begins at once
    for (int s = static_cast<int>(chain_.stages.size()) - shape.last_stages; s > 0; --s) {
      const std::size_t more = count_of(chain_.stages[s - 1]);
      const TaskId begin = tasks + more > shape.tasks_of_block ? gradient_of(s) : no_task;
      const bool is_next = begin != no_task && (begins_.empty() || reaches_[begins_.back()][begin]);
      if (is_next) begins_.push_back(begin);
      tasks = is_next ? more : tasks + more;
    }
  }
  // Of what stages from `s` on write backward and others before it read, the task on which most
  // depend; one that writes small items if there is no other.
  TaskId gradient_of(int s) const {
    const TaskId large = gradient_of(s, false);
    return large != no_task ? large : gradient_of(s, true);
  }
  TaskId gradient_of(int s, bool is_small) const {
    TaskId best = no_task;
    std::ptrdiff_t most = 0;
    for (const TaskId task : chain_.stages[s].backward) {
      if (is_idle(task) || !is_read_before(task, s, is_small)) continue;
      const auto& after = reaches_[task];
      const auto depend = std::count(after.begin(), after.end(), true);
      if (depend > most) best = task, most = depend;
    }
    return best;
  }
  bool is_read_before(TaskId task, int s, bool is_small) const {
    const auto& writes = graph_.tasks[task].writes;
    return std::any_of(writes.begin(), writes.end(), [&](const GraphOutput& output) {
      const auto& readers = readers_[output.item];
      return (is_small || counts(output.item)) &&
             std::any_of(readers.begin(), readers.end(), [&](TaskId reader) {
               return stage_of_[reader] != nowhere && stage_of_[reader] < s;
             });
    });
  }

  bool is_early(TaskId task) const {
    return task != begins_.front() && reaches_[task][begins_.front()];
  }
  // The last of the begins that it is, or depends on.
  int begun_by(TaskId task) const {
    int last = nowhere;
    for (std::size_t j = 0; j < begins_.size(); ++j)
      if (task == begins_[j] || reaches_[begins_[j]][task]) last = static_cast<int>(j);
    return last;
  }

  // Nothing of its own block, nor the next begin, waits for it, but somebody later does.
  bool is_for_later(TaskId task) const {
    const int own = begun_by(task);
    bool is_read = false;
    for (const GraphOutput& output : graph_.tasks[task].writes) {
      for (const TaskId reader : readers_[output.item]) {
        if (is_idle(reader) || !counts(output.item)) continue;
        if (block_of_[reader] <= own) return false;
        is_read = true;
      }
    }
    const bool is_waited_for = own + 1 < std::ssize(begins_) && reaches_[task][begins_[own + 1]];
    return is_read && !is_waited_for && task != begins_[own];
  }

  // From the last task to the first: those that read what one writes have their blocks already.
  // What may come at any time, or is for later blocks alone, goes where it is read; as do inputs.
  void divide() {
    block_of_.assign(graph_.tasks.size(), nowhere);
    for (std::size_t t = graph_.tasks.size(); t-- > 0;) {
      const auto task = static_cast<TaskId>(t);
      if (is_idle(task)) continue;
      block_of_[t] = begun_by(task);
      if (block_of_[t] != nowhere && !is_for_later(task)) continue;
      LastReaders last;
      for (const bool is_optional : {false, true}) {
        if (last.block() != nowhere) break;
        for (const GraphOutput& output : graph_.tasks[t].writes)
          if (output.is_optional == is_optional) find_readers(output.item, last);
      }
      block_of_[t] = last.block();
    }
    input_block_.assign(graph_.items.size(), nowhere);
    for (std::size_t i = 0; i < graph_.items.size(); ++i) {
      const auto item = static_cast<GraphItemId>(i);
      if (!graph_.items[i].writers.empty() || !was_read(item)) continue;
      LastReaders last;
      find_readers(item, last);
      input_block_[i] = last.block();
    }
  }
  struct LastReaders {  // blocks
    int own = nowhere;
    int again = nowhere;  // of readers that are early themselves
    int block() const { return own == nowhere ? again : own; }
  };
  void find_readers(GraphItemId item, LastReaders& last) const {
    if (!counts(item)) return;
    for (const TaskId reader : readers_[item]) {
      if (block_of_[reader] == nowhere) continue;
      if (reader == begins_.front()) continue;  // it has that, whoever else wants it
      int& block = is_early(reader) ? last.again : last.own;
      block = std::max(block, block_of_[reader]);
    }
  }
  // An input is there from its first reader on, and once only.
  bool was_read(GraphItemId item) const {
    const auto& readers = readers_[item];
    return std::any_of(readers.begin(), readers.end(), [&](TaskId t) { return is_early(t); });
  }
  int block_of(GraphItemId item) const {
    if (!counts(item)) return nowhere;
    const bool is_input = graph_.items[item].writers.empty();
    return is_input ? input_block_[item] : block_of_[graph_.writer(item)];
  }

  // Early tasks that write small items alone: with the last that reads these.
  void divide_small() {
    small_block_of_.assign(graph_.tasks.size(), nowhere);
    for (std::size_t t = graph_.tasks.size(); t-- > 0;) {
      const auto task = static_cast<TaskId>(t);
      if (block_of_[t] != nowhere || graph_.tasks[t].runs_once || !is_early(task)) continue;
      LastReaders last;
      for (const GraphOutput& output : graph_.tasks[t].writes) {
        if (!is_small_[output.item]) continue;
        for (const TaskId reader : readers_[output.item]) {
          int& block = is_early(reader) ? last.again : last.own;
          block = std::max(block, is_early(reader) ? small_block_of_[reader] : begun_by(reader));
        }
      }
      small_block_of_[t] = last.block();
    }
  }

  // While the task runs, of what is no item of its block or of later ones: these are counted there.
  // Nor what the begin of the block is made from, which may be there instead of what it writes
  // (cost_of_dropping).
  std::int64_t beside_bytes(TaskId t, int j) const {
    const GraphTask& task = graph_.tasks[t];
    const auto is_beside = [&](GraphItemId item) {
      const GraphItem& each = graph_.items[item];
      if (each.writers.size() > 1 || !each.is_alone) return false;
      const bool is_instead = j != nowhere && t != begins_[j] && !each.writers.empty() &&
                              reaches_[each.writers.front()][begins_[j]];
      return block_of(item) < std::max(j, 0) && !is_instead;
    };
    std::int64_t bytes = task.workspace_bytes;
    for (const GraphItemId read : task.reads)
      if (is_beside(read)) bytes += graph_.items[read].bytes;
    for (const GraphOutput& output : task.writes)
      if (is_beside(output.item) && !output.is_optional && output.at_most_in == no_graph_item)
        bytes += output.bytes;
    return bytes;
  }

  void add_item(GraphItemId item, std::vector<GraphItemId>& items) {
    local_[item] = static_cast<int>(items.size());
    items.push_back(item);
  }
  // The tasks that are in the block, and the items that they write.
  void collect(const std::vector<int>& block_of, const std::vector<char>& is_item, int j,
               std::vector<TaskId>& tasks, std::vector<GraphItemId>& items) {
    for (std::size_t t = 0; t < graph_.tasks.size(); ++t) {
      if (block_of[t] != j) continue;
      tasks.push_back(static_cast<TaskId>(t));
      for (const GraphOutput& output : graph_.tasks[t].writes)
        if (is_item[output.item]) add_item(output.item, items);
    }
  }

  void add_block(int j, BlockRow& row) {
    auto& tasks = row.tasks.emplace_back();
    auto& items = row.items.emplace_back();
    RerunBlock& block = row.blocks.emplace_back();
    local_.assign(graph_.items.size(), nowhere);
    for (std::size_t i = 0; i < graph_.items.size(); ++i)
      if (input_block_[i] == j) add_item(static_cast<GraphItemId>(i), items);
    collect(block_of_, counts_, j, tasks, items);
    if (tasks.size() > most_of_block || items.size() > most_of_block) return;
    for (const GraphItemId item : items) block.item_bytes.push_back(graph_.items[item].bytes);
    const bool is_last = j + 1 == std::ssize(begins_);
    for (const TaskId task : tasks) {
      if (task == begins_[j]) block.begin = static_cast<int>(block.tasks.size());
      block.tasks.push_back(rerun_task(task, j, is_last ? no_task : begins_[j + 1]));
    }
    block.tasks[block.begin].cost += cost_of_dropping(j);
    for (std::size_t t = 0; t < graph_.tasks.size(); ++t)
      if (block_of_[t] != nowhere && block_of_[t] < j && is_early(static_cast<TaskId>(t)))
        block.lent |= local_reads(static_cast<TaskId>(t));
    if (is_last) return;
    block.end_reads = local_reads(begins_[j + 1]);
    block.end_beside_bytes = beside_bytes(begins_[j + 1], j);
  }

  // Those that depend on the block's begin have yet to run; nobody asks for what only runs again.
  void add_small_block(int j, BlockRow& row) {
    std::vector<TaskId> tasks;
    std::vector<GraphItemId> items;
    local_.assign(graph_.items.size(), nowhere);
    collect(small_block_of_, is_small_, j, tasks, items);
    if (items.empty() || items.size() > most_of_block) return;
    RerunBlock block;
    block.in_any_memory = true;
    for (const GraphItemId item : items) block.item_bytes.push_back(graph_.items[item].bytes);
    for (const TaskId t : tasks) {
      RerunTask& task = block.tasks.emplace_back();
      task.reads = local_reads(t);
      for (const GraphOutput& output : graph_.tasks[t].writes)
        task.writes |= local_bit(output.item);
      task.cost = costs_[t];
      task.is_early = true;
    }
    for (std::size_t t = 0; t < graph_.tasks.size(); ++t)
      if (begun_by(static_cast<TaskId>(t)) >= j)
        block.end_reads |= local_reads(static_cast<TaskId>(t));
    if (tasks.size() > most_of_block || block.end_reads == 0) return;
    row.blocks.push_back(std::move(block));
    row.tasks.push_back(std::move(tasks));
    row.items.push_back(std::move(items));
  }

  // What begins a backward reads gradients, which neither it nor later blocks count. Dropped to be
  // computed again it saves memory only if what it is then computed from takes less; if for that
  // only tasks run again that cost less than what is returned, it never does: so it may as well
  // stay.
  std::int64_t cost_of_dropping(int j) const {
    const TaskId begin = begins_[j];
    std::int64_t bytes = 0;
    for (const GraphOutput& output : graph_.tasks[begin].writes)
      if (counts(output.item)) bytes += graph_.items[output.item].bytes;
    std::vector<std::int64_t> costs{0};
    for (std::size_t t = 0; t < graph_.tasks.size(); ++t)
      if (is_uncounted(static_cast<TaskId>(t), j) && reaches_[t][begin]) costs.push_back(costs_[t]);
    std::sort(costs.begin(), costs.end());
    const auto less = std::partition_point(costs.begin(), costs.end(), [&](std::int64_t cost) {
      return least_beside(j, cost) >= bytes;
    });
    return less == costs.begin() ? 0 : *(less - 1);
  }
  // Of this block and later ones others count what they write.
  bool is_uncounted(TaskId task, int j) const { return !is_idle(task) && block_of_[task] < j; }
  // Bytes of gradients that are there at least at any time before the task can run again, if only
  // tasks that cost less do.
  std::int64_t least_beside(int j, std::int64_t cost) const {
    const TaskId task = begins_[j];
    std::vector<std::int64_t> least(graph_.items.size(), 0);
    for (std::size_t t = 0; t < static_cast<std::size_t>(task); ++t) {
      if (!is_uncounted(static_cast<TaskId>(t), j)) continue;
      std::int64_t inputs = costs_[t] < cost ? 0 : INT64_MAX;
      for (const GraphItemId read : graph_.tasks[t].reads) inputs = std::max(inputs, least[read]);
      for (const GraphOutput& output : graph_.tasks[t].writes)
        if (counts(output.item))
          least[output.item] = std::min(graph_.items[output.item].bytes, inputs);
    }
    std::int64_t inputs = 0;
    for (const GraphItemId read : graph_.tasks[task].reads) inputs = std::max(inputs, least[read]);
    return inputs;
  }

  std::uint64_t local_bit(GraphItemId item) const {
    return item == no_graph_item || local_[item] == nowhere ? 0 : std::uint64_t{1} << local_[item];
  }
  std::uint64_t local_reads(TaskId task) const {
    std::uint64_t reads = 0;
    for (const GraphItemId read : graph_.tasks[task].reads) reads |= local_bit(read);
    return reads;
  }
  RerunTask rerun_task(TaskId t, int j, TaskId end) const {
    RerunTask task;
    task.reads = local_reads(t);
    task.cost = costs_[t];
    task.beside_bytes = beside_bytes(t, j);
    for (const GraphItemId read : graph_.tasks[t].reads) {
      task.reads_of_later = task.reads_of_later || (counts(read) && block_of(read) > j);
      task.reads_of_former = task.reads_of_former || (counts(read) && block_of(read) < j);
      if (block_of(read) > j && graph_.items[read].is_alone)
        task.later_bytes += graph_.items[read].bytes;
    }
    task.is_early = is_early(t);
    task.may_precede = !task.is_early && begun_by(t) != j;
    task.is_backbone = !task.is_early && (end == no_task || reaches_[t][end]);
    for (const GraphOutput& output : graph_.tasks[t].writes) {
      task.writes |= local_bit(output.item);
      if (output.is_optional) task.optional |= local_bit(output.item);
      if (local_bit(output.item) == 0 || output.at_most_in == no_graph_item) continue;
      if (task.in_place.size() == most_in_place)
        task.beside_bytes -= output.bytes;
      else
        task.in_place.push_back(
            {local_bit(output.item), local_bit(output.at_most_in), output.bytes});
    }
    return task;
  }

  const DeviceGraph& graph_;
  const TaskChain& chain_;
  const std::vector<std::int64_t>& costs_;
  std::vector<char> counts_;    // by item: it is one of a block
  std::vector<char> is_small_;  // by item: it is one of a block of small ones
  std::vector<std::vector<bool>> reaches_;
  std::vector<std::vector<TaskId>> readers_;  // by item
  std::vector<int> stage_of_;                 // by task, of backward ones
  std::vector<TaskId> begins_;
  std::vector<int> block_of_;        // by task
  std::vector<int> input_block_;     // by item: of inputs
  std::vector<int> small_block_of_;  // by task
  std::vector<int> local_;           // by item, in the block at hand
};

}  // namespace

BlockRow block_row(const Problem& problem, const DeviceGraph& graph, const TaskChain& chain,
                   const std::vector<std::int64_t>& costs, const RowShape& shape) {
  if (graph.tasks.size() > up_to_tasks || graph.tasks.size() != problem.needs.size()) return {};
  return RowOfBlocks(problem, graph, chain, costs).make(shape);
}

}  // namespace stint
