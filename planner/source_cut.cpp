#include "planner/source_cut.hpp"

#include <algorithm>

#include "planner/placement/least_cut.hpp"

namespace stint {
namespace {

int entry(TensorId tensor) { return 2 * tensor; }
int exit_of(TensorId tensor) { return 2 * tensor + 1; }

}  // namespace

SourceCut::SourceCut(const Problem& problem, const Memory& memory, const std::vector<bool>& here)
    : problem_(problem), here_(here), bytes_(problem.graph().tensors.size(), 0) {
  const Graph& graph = problem.graph();
  std::vector<int> of_whole(bytes_.size(), 0);
  for (std::size_t t = 0; t < bytes_.size(); ++t) ++of_whole[problem.segments.root[t]];
  std::vector<int> writers(bytes_.size(), 0);
  for (const Task& task : graph.tasks) {
    size_ += std::ssize(task.reads) + std::ssize(task.writes) + 1;
    for (const TensorId tensor : task.writes) ++writers[tensor];
    for (const TensorId tensor : task.updates) writers[tensor] = 2;
  }
  for (std::size_t t = 0; t < bytes_.size(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    const bool is_input = tensor.kind == Kind::input;
    const bool is_alone = of_whole[t] == 1 && problem.segments.of_tensor[t].size() == 1;
    if (tensor.kind == Kind::state || !is_alone || writers[t] != (is_input ? 0 : 1)) continue;
    bytes_[t] = aligned(tensor.bytes, memory);
    if (is_input) input_bytes_ = capped_sum(input_bytes_, bytes_[t]);
  }
}

std::vector<char> SourceCut::begun_by(const std::vector<TaskId>& tasks) const {
  std::vector<char> begun(problem_.needs.size(), 0);
  for (const TaskId task : tasks) begun[task] = 1;
  for (std::size_t t = begun.size(); t-- > 0;) {
    if (!begun[t]) continue;
    for (const TaskId earlier : problem_.needs[t]) begun[earlier] = 1;
  }
  return begun;
}

std::vector<char> SourceCut::waiting_for(TaskId task) const {
  std::vector<char> waiting(problem_.needs.size(), 0);
  waiting[task] = 1;
  for (std::size_t t = task + std::size_t{1}; t < waiting.size(); ++t) {
    for (const TaskId earlier : problem_.needs[t]) waiting[t] = waiting[t] || waiting[earlier];
  }
  return waiting;
}

std::vector<int> SourceCut::least(const Moment& moment) const {
  const Graph& graph = problem_.graph();
  const int tensors = static_cast<int>(graph.tensors.size());
  const int source = 2 * tensors + static_cast<int>(graph.tasks.size());
  const int sink = source + 1;
  const auto segment = [&](TensorId tensor) { return problem_.segments.of_tensor[tensor].begin; };
  const auto is_open = [&](TensorId tensor) {
    return is_node(tensor) &&
           !std::binary_search(moment.there.begin(), moment.there.end(), segment(tensor));
  };
  const std::vector<char> begun = begun_by(moment.begun);
  const std::vector<char> waits = waiting_for(moment.next);
  CutNetwork network(sink + 1);
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    if (!here_[t]) continue;
    const int node = 2 * tensors + static_cast<int>(t);
    for (const TensorId tensor : graph.tasks[t].reads) {
      if (!is_open(tensor)) continue;
      const bool is_read_input = graph.tensors[tensor].kind == Kind::input && begun[t];
      if (is_read_input) network.add_arc(source, entry(tensor), huge_bytes);
      network.add_arc(exit_of(tensor), waits[t] ? sink : node, huge_bytes);
    }
    for (const TensorId tensor : graph.tasks[t].writes) {
      if (is_open(tensor) && !waits[t]) network.add_arc(node, entry(tensor), huge_bytes);
    }
  }
  for (int t = 0; t < tensors; ++t) {
    const auto tensor = static_cast<TensorId>(t);
    if (is_open(tensor)) network.add_arc(entry(tensor), exit_of(tensor), bytes_[t]);
  }
  network.cut(source, sink);
  std::vector<int> cut;
  for (int t = 0; t < tensors; ++t) {
    const auto tensor = static_cast<TensorId>(t);
    if (is_open(tensor) && network.is_on_source_side(entry(tensor)) &&
        !network.is_on_source_side(exit_of(tensor)))
      cut.push_back(segment(tensor));
  }
  std::sort(cut.begin(), cut.end());
  return cut;
}

}  // namespace stint
