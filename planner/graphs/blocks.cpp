#include "planner/graphs/blocks.hpp"

#include <algorithm>
#include <bit>

namespace stint {
namespace {

class Cutting {
 public:
  Cutting(const DeviceGraph& whole, const std::vector<double>& costs, const GraphBlock& block)
      : whole_(whole), costs_(costs), block_(block), local_(whole.items.size(), no_graph_item) {}

  BlockGraph cut() {
    add_tasks(block_.forward);
    add_between();
    add_tasks(block_.backward);
    find_gradients();
    find_last_versions();
    for (GraphItem& item : cut_.graph.items) {
      const bool is_whole = item.writers.size() == 1 && item.bytes > 0;
      item.is_fixed = !is_whole || cut_.graph.tasks[item.writers.front()].runs_once;
    }
    for (std::size_t i = 0; i < whole_.items.size(); ++i) find_result(static_cast<GraphItemId>(i));
    cut_.graph.problem_tasks = cut_.graph.own_tasks = static_cast<int>(cut_.graph.tasks.size());
    if (block_.input != no_graph_item) cut_.input = local_[block_.input];
    if (block_.output != no_graph_item) cut_.output = local_[block_.output];
    return std::move(cut_);
  }

 private:
  GraphItemId local(GraphItemId item) {
    if (item == no_graph_item || local_[item] != no_graph_item)
      return item == no_graph_item ? item : local_[item];
    local_[item] = static_cast<GraphItemId>(cut_.graph.items.size());
    GraphItem copy;
    copy.tensor = whole_.items[item].tensor;
    copy.bytes = whole_.items[item].bytes;
    copy.is_alone = whole_.items[item].is_alone;
    cut_.graph.items.push_back(std::move(copy));
    return local_[item];
  }

  void add_tasks(const std::vector<TaskId>& tasks) {
    for (const TaskId id : tasks) {
      const GraphTask& task = whole_.tasks[id];
      const auto own = static_cast<TaskId>(cut_.graph.tasks.size());
      GraphTask copy;
      for (const GraphItemId read : task.reads) copy.reads.push_back(local(read));
      std::sort(copy.reads.begin(), copy.reads.end());
      for (GraphOutput output : task.writes) {
        output.item = local(output.item);
        output.in_place = local(output.in_place);
        output.at_most_in = local(output.at_most_in);
        copy.writes.push_back(output);
        cut_.graph.items[output.item].writers.push_back(own);
      }
      copy.workspace_bytes = task.workspace_bytes;
      copy.runs_once = task.runs_once;
      add(std::move(copy), id, costs_[id]);
    }
  }

  void add(GraphTask task, TaskId origin, double cost) {
    cut_.graph.tasks.push_back(std::move(task));
    cut_.origin.push_back(origin);
    cut_.costs.push_back(cost);
  }

  void add_between() {
    cut_.between = static_cast<TaskId>(cut_.graph.tasks.size());
    GraphTask between;
    between.runs_once = true;
    if (block_.output != no_graph_item) between.reads = {local(block_.output)};
    add(std::move(between), no_task, 0);
  }

  // What backward tasks read and the block does not write comes from behind, but for its input and
  // inputs of the step.
  void find_gradients() {
    for (std::size_t i = 0; i < whole_.items.size(); ++i) {
      const auto id = static_cast<GraphItemId>(i);
      if (local_[i] == no_graph_item || id == block_.input) continue;
      GraphItem& item = cut_.graph.items[local_[i]];
      if (!item.writers.empty() || whole_.items[i].writers.empty()) continue;
      item.writers = {cut_.between};
      cut_.graph.tasks[cut_.between].writes.push_back({local_[i], item.bytes});
      cut_.gradient_bytes += item.bytes;
    }
  }

  void find_last_versions() {
    std::vector<TaskId> own(whole_.tasks.size(), no_task);
    for (std::size_t t = 0; t < cut_.origin.size(); ++t)
      if (cut_.origin[t] != no_task) own[cut_.origin[t]] = static_cast<TaskId>(t);
    for (std::size_t t = 0; t < cut_.origin.size(); ++t) {
      if (cut_.origin[t] == no_task) continue;
      for (const TaskId update : whole_.tasks[cut_.origin[t]].ends_with)
        if (own[update] != no_task) cut_.graph.tasks[t].ends_with.push_back(own[update]);
    }
  }

  // Whatever others still want; who reads the output of a block has it as his input.
  void find_result(GraphItemId item) {
    if (local_[item] == no_graph_item || item == block_.input || item == block_.output) return;
    GraphItem& own = cut_.graph.items[local_[item]];
    own.is_result = whole_.items[item].is_result || is_read_elsewhere(item);
  }
  bool is_read_elsewhere(GraphItemId item) {
    if (readers_.empty()) count_readers();
    const auto reads = [&](const GraphTask& task) {
      return std::binary_search(task.reads.begin(), task.reads.end(), local_[item]);
    };
    const auto& writers = cut_.graph.items[local_[item]].writers;
    if (writers.empty() || writers.front() == cut_.between) return false;
    return std::count_if(cut_.graph.tasks.begin(), cut_.graph.tasks.end(), reads) < readers_[item];
  }
  void count_readers() {
    readers_.assign(whole_.items.size(), 0);
    for (const GraphTask& task : whole_.tasks)
      for (const GraphItemId read : task.reads) ++readers_[read];
  }

  const DeviceGraph& whole_;
  const std::vector<double>& costs_;
  const GraphBlock& block_;
  std::vector<GraphItemId> local_;  // by item of the whole
  std::vector<int> readers_;        // likewise
  BlockGraph cut_;
};

GraphItemId only_item(const DeviceGraph& graph, const std::vector<TensorId>& tensors) {
  return tensors.empty() ? no_graph_item : graph.item_of[tensors.front()];
}

}  // namespace

std::vector<GraphBlock> graph_blocks(const DeviceGraph& graph, const TaskChain& chain,
                                     int most_blocks) {
  const int stages = static_cast<int>(chain.stages.size());
  const int together = (stages + most_blocks - 1) / most_blocks;
  std::vector<GraphBlock> blocks;
  for (int first = 0; first < stages; first += together) {
    GraphBlock block;
    const int end = std::min(first + together, stages);
    block.input = only_item(graph, first == 0 ? chain.input : chain.stages[first - 1].output);
    if (end < stages) block.output = only_item(graph, chain.stages[end - 1].output);
    for (int s = first; s < end; ++s) {
      const auto& tasks = chain.stages[s].forward;
      block.forward.insert(block.forward.end(), tasks.begin(), tasks.end());
    }
    for (int s = end; s-- > first;) {
      const auto& tasks = chain.stages[s].backward;
      block.backward.insert(block.backward.end(), tasks.begin(), tasks.end());
    }
    blocks.push_back(std::move(block));
  }
  return blocks.size() < 2 ? std::vector<GraphBlock>{} : blocks;
}

BlockGraph block_graph(const DeviceGraph& graph, const std::vector<double>& costs,
                       const GraphBlock& block) {
  return Cutting(graph, costs, block).cut();
}

std::vector<std::int64_t> BlockGraph::key() const {
  std::vector<std::int64_t> key{between, input, output, std::ssize(graph.items)};
  for (const GraphItem& item : graph.items) {
    key.push_back(item.bytes);
    key.push_back(item.is_fixed * 4 + item.is_result * 2 + item.is_alone);
  }
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    const GraphTask& task = graph.tasks[t];
    key.push_back(std::bit_cast<std::int64_t>(costs[t]));
    key.push_back(task.workspace_bytes * 2 + task.runs_once);
    key.push_back(std::ssize(task.reads));
    key.insert(key.end(), task.reads.begin(), task.reads.end());
    key.push_back(std::ssize(task.ends_with));
    key.insert(key.end(), task.ends_with.begin(), task.ends_with.end());
    key.push_back(std::ssize(task.writes));
    for (const GraphOutput& write : task.writes) {
      for (const std::int64_t part :
           {std::int64_t{write.item}, write.bytes, std::int64_t{write.is_optional},
            std::int64_t{write.in_place}})
        key.push_back(part);
    }
  }
  return key;
}

}  // namespace stint
