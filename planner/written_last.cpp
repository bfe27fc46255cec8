#include "planner/written_last.hpp"

#include <algorithm>
#include <utility>

#include "planner/optional_output.hpp"

namespace stint {
namespace {

// Of what a task reads: those that are looked at, the largest.
constexpr std::size_t most_made = 6;

}  // namespace

const MemoryMoment& least_of(const std::vector<MemoryMoment>& moments) {
  return *std::min_element(
      moments.begin(), moments.end(),
      [](const MemoryMoment& a, const MemoryMoment& b) { return a.bytes < b.bytes; });
}

WrittenLast::WrittenLast(const Problem& problem, const TaskBytes& bytes)
    : problem_(problem), graph_(problem.graph()), bytes_(bytes) {
  writer_of_segment_.assign(problem_.segments.count(), no_task);
  is_whole_.assign(graph_.tensors.size(), false);
  std::vector<bool> several(problem_.segments.count(), false);
  for (std::size_t t = 0; t < graph_.tasks.size(); ++t) {
    for (const auto* list : {&graph_.tasks[t].writes, &graph_.tasks[t].updates}) {
      for (const TensorId tensor : *list) {
        is_whole_[tensor] = list == &graph_.tasks[t].writes;
        const SegmentRange range = problem_.segments.of_tensor[tensor];
        for (int s = range.begin; s < range.end; ++s) {
          several[s] = several[s] || writer_of_segment_[s] != no_task;
          writer_of_segment_[s] = static_cast<TaskId>(t);
        }
      }
    }
  }
  for (std::size_t s = 0; s < several.size(); ++s) {
    if (several[s]) writer_of_segment_[s] = no_task;
  }
}

std::vector<std::vector<MemoryMoment>> WrittenLast::moments_before(std::size_t t) const {
  std::vector<std::vector<MemoryMoment>> all;
  std::vector<TensorId> made;
  for (const TensorId tensor : graph_.tasks[t].reads) {
    if (bytes_.forced()[t] && writer_of(tensor) != no_task) made.push_back(tensor);
  }
  std::stable_sort(made.begin(), made.end(), [&](TensorId a, TensorId b) {
    return graph_.tensors[a].bytes > graph_.tensors[b].bytes;
  });
  made.resize(std::min(made.size(), most_made));
  for (std::size_t count = 2; count <= made.size(); ++count) {
    const std::vector<TensorId> some(made.begin(), made.begin() + static_cast<int>(count));
    auto& moments = all.emplace_back();
    for (const TensorId last : some) moments.push_back(moment_of_writing(last, some));
  }
  return all;
}

MemoryMoment WrittenLast::moment_of_writing(TensorId last,
                                            const std::vector<TensorId>& made) const {
  const Task& task = graph_.tasks[writer_of(last)];
  SegmentSet set;
  for (const TensorId tensor : made) {
    if (tensor != last) bytes_.add(tensor, set);
  }
  const SegmentSet others = as_set(set);
  for (const TensorId tensor : task.reads) {
    if (graph_.tensors[tensor].kind != Kind::state) bytes_.add(tensor, set);
  }
  for (const TensorId tensor : task.writes) {
    if (!is_optional(task, tensor)) bytes_.add(tensor, set);
  }
  std::int64_t bytes = capped_sum(bytes_.size(as_set(set)), bytes_.state_bytes());
  bytes = capped_sum(bytes, aligned(task.workspace_bytes, bytes_.memory()));
  for (const auto& [y, x] : task.may_overwrite) {
    const bool fits = graph_.tensors[y].bytes <= graph_.tensors[x].bytes;
    const int first = problem_.segments.of_tensor[x].begin;
    if (fits && !is_optional(task, y) && !std::binary_search(others.begin(), others.end(), first))
      bytes -= aligned(graph_.tensors[y].bytes, bytes_.memory());
  }
  std::vector<TaskId> begun;
  for (const TensorId tensor : made) begun.push_back(writer_of(tensor));
  return {std::max<std::int64_t>(0, bytes), joined(std::move(set), bytes_.state()),
          std::move(begun)};
}

// The task here that alone writes any of the tensor's bytes, and all of them; no_task if there is
// none.
TaskId WrittenLast::writer_of(TensorId tensor) const {
  const SegmentRange range = problem_.segments.of_tensor[tensor];
  if (range.begin == range.end || !is_whole_[tensor]) return no_task;
  const TaskId writer = writer_of_segment_[range.begin];
  for (int s = range.begin; s < range.end; ++s) {
    if (writer_of_segment_[s] != writer) return no_task;
  }
  return writer != no_task && bytes_.forced()[writer] ? writer : no_task;
}

}  // namespace stint
