#include "planner/graphs/flat_graph.hpp"

#include <algorithm>
#include <utility>

namespace stint {

FlatGraph::FlatGraph(const DeviceGraph& graph) {
  for (const GraphTask& task : graph.tasks) {
    tasks_.push_back({task.workspace_bytes, static_cast<int>(reads_.size()),
                      static_cast<int>(writes_.size())});
    reads_.insert(reads_.end(), task.reads.begin(), task.reads.end());
    for (const GraphOutput& output : task.writes) {
      const GraphItem& item = graph.items[output.item];
      writes_.push_back({output.item, output.in_place, output.bytes, item.bytes, output.is_optional,
                         item.is_fixed});
    }
  }
  tasks_.push_back({0, static_cast<int>(reads_.size()), static_cast<int>(writes_.size())});
  for (const GraphItem& item : graph.items) results_.push_back(item.is_result);
}

void leave_out_needless_runs(const FlatGraph& graph, RunNeeds& needs, TaskSequence& sequence) {
  needs.ran.assign(graph.tasks(), 0);
  needs.is_first.resize(sequence.size());
  for (std::size_t step = 0; step < sequence.size(); ++step)
    needs.is_first[step] = !std::exchange(needs.ran[sequence[step]], 1);
  std::vector<char>& wanted = needs.wanted;
  wanted = graph.results();
  std::size_t begin = sequence.size();  // of what is needed, which gathers at the end
  for (std::size_t step = sequence.size(); step-- > 0;) {
    const TaskId task = sequence[step];
    const auto writes = graph.writes(task);
    const bool is_needed =
        needs.is_first[step] || writes.empty() ||
        std::any_of(writes.begin(), writes.end(), [&](const FlatOutput& output) {
          return wanted[output.item] && !output.is_fixed;
        });
    if (!is_needed) continue;
    sequence[--begin] = task;
    for (const FlatOutput& output : writes) wanted[output.item] = 0;
    for (const GraphItemId read : graph.reads(task)) wanted[read] = 1;
  }
  sequence.erase(sequence.begin(), sequence.begin() + static_cast<std::ptrdiff_t>(begin));
}

}  // namespace stint
