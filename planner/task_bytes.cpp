#include "planner/task_bytes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "planner/optional_output.hpp"

namespace stint {
namespace {

// Passing over the graph once for each input is work that large graphs do not get; leaving inputs
// out keeps the bound sound.
constexpr std::int64_t most_passed = 20'000'000;

}  // namespace

SegmentSet as_set(SegmentSet segments) {
  std::sort(segments.begin(), segments.end());
  segments.erase(std::unique(segments.begin(), segments.end()), segments.end());
  return segments;
}

SegmentSet joined(SegmentSet a, const SegmentSet& b) {
  a.insert(a.end(), b.begin(), b.end());
  return as_set(std::move(a));
}

TaskBytes::TaskBytes(const Problem& problem, MemoryId memory)
    : problem_(problem),
      graph_(problem.graph()),
      memory_(problem.platform().memories[memory]),
      forced_(graph_.tasks.size()),
      whole_of_(problem.segments.count(), no_tensor),
      pinned_(graph_.tasks.size()) {
  for (std::size_t t = 0; t < graph_.tensors.size(); ++t) {
    const SegmentRange range = problem.segments.of_tensor[t];
    for (int s = range.begin; s < range.end; ++s) whole_of_[s] = problem.segments.root[t];
  }
  for (std::size_t t = 0; t < forced_.size(); ++t) forced_[t] = only_in(memory, t);
  for (const Link& link : problem.platform().links)
    isolated_ = isolated_ && link.from != memory && link.to != memory;
  if (!isolated_) return;
  find_state();
  pin_inputs();
}

std::int64_t TaskBytes::during(std::size_t task) const {
  std::int64_t bytes = capped_sum(size(segments_during(task)), state_bytes_);
  bytes = capped_sum(bytes, aligned(graph_.tasks[task].workspace_bytes, memory_));
  return std::max<std::int64_t>(0, bytes - overwritten(task));
}

bool TaskBytes::only_in(MemoryId memory, std::size_t task) const {
  const auto& devices = problem_.platform().devices;
  bool is_here = false;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    const MemoryId there = devices[d].memory;
    if (!std::isfinite(problem_.seconds[d][task])) continue;
    is_here = is_here || there == memory;
    if (there != memory && alone(task, there) <= problem_.capacity_bytes[there]) return false;
  }
  return is_here;
}

// What the task touches, and its workspace, wherever it runs.
std::int64_t TaskBytes::alone(std::size_t t, MemoryId memory) const {
  const Memory& there = problem_.platform().memories[memory];
  const Task& task = graph_.tasks[t];
  SegmentSet set;
  for (const TensorId tensor : task.reads) add(tensor, set);
  for (const TensorId tensor : task.updates) add(tensor, set);
  for (const TensorId tensor : task.writes) {
    if (!is_optional(task, tensor)) add(tensor, set);
  }
  std::int64_t bytes = size(as_set(std::move(set)), there);
  for (const auto& [y, x] : task.may_overwrite) {
    const bool fits = graph_.tensors[y].bytes <= graph_.tensors[x].bytes;
    if (fits && !is_optional(task, y)) bytes -= aligned(graph_.tensors[y].bytes, there);
  }
  return capped_sum(std::max<std::int64_t>(0, bytes), aligned(task.workspace_bytes, there));
}

// The set's bytes, rounded up once for each whole. Segments of one whole follow each other.
std::int64_t TaskBytes::size(const SegmentSet& set, const Memory& memory) const {
  const Segments& segments = problem_.segments;
  std::int64_t total = 0;
  std::int64_t of_whole = 0;
  for (std::size_t i = 0; i < set.size(); ++i) {
    of_whole += segments.end_bytes[set[i]] - segments.begin_bytes[set[i]];
    if (i + 1 < set.size() && whole_of_[set[i]] == whole_of_[set[i + 1]]) continue;
    total = capped_sum(total, aligned(of_whole, memory));
    of_whole = 0;
  }
  return total;
}

void TaskBytes::add(TensorId tensor, SegmentSet& set) const {
  const SegmentRange range = problem_.segments.of_tensor[tensor];
  for (int s = range.begin; s < range.end; ++s) set.push_back(s);
}

// What the task touches, and the inputs that are there anyway.
SegmentSet TaskBytes::segments_during(std::size_t t) const {
  const Task& task = graph_.tasks[t];
  SegmentSet set = pinned_[t];
  for (const TensorId tensor : task.reads) {
    if (!isolated_ || graph_.tensors[tensor].kind != Kind::state) add(tensor, set);
  }
  for (const TensorId tensor : task.updates) {
    if (!isolated_) add(tensor, set);
  }
  for (const TensorId tensor : task.writes) {
    if (!is_optional(task, tensor)) add(tensor, set);
  }
  return as_set(std::move(set));
}

// Outputs that may lie where inputs are, unless these are needed again.
std::int64_t TaskBytes::overwritten(std::size_t t) const {
  const Task& task = graph_.tasks[t];
  std::int64_t bytes = 0;
  for (const auto& [y, x] : task.may_overwrite) {
    const bool fits = graph_.tensors[y].bytes <= graph_.tensors[x].bytes;
    if (!fits || is_optional(task, y) || is_pinned(x, t)) continue;
    bytes = capped_sum(bytes, aligned(graph_.tensors[y].bytes, memory_));
  }
  return bytes;
}

bool TaskBytes::is_pinned(TensorId tensor, std::size_t task) const {
  const SegmentRange range = problem_.segments.of_tensor[tensor];
  return std::binary_search(pinned_[task].begin(), pinned_[task].end(), range.begin);
}

void TaskBytes::find_state() {
  for (std::size_t t = 0; t < forced_.size(); ++t) {
    if (!forced_[t]) continue;
    for (const TensorId tensor : graph_.tasks[t].updates) add(tensor, state_);
    for (const TensorId tensor : graph_.tasks[t].reads) {
      if (graph_.tensors[tensor].kind == Kind::state) add(tensor, state_);
    }
  }
  state_ = as_set(std::move(state_));
  state_bytes_ = size(state_);
}

// By segment of an input: the tasks here that read it. The largest segments first.
std::vector<std::pair<int, std::vector<TaskId>>> TaskBytes::readers_of_inputs() const {
  std::map<int, std::vector<TaskId>> readers;
  for (std::size_t t = 0; t < forced_.size(); ++t) {
    if (!forced_[t]) continue;
    for (const TensorId tensor : graph_.tasks[t].reads) {
      const SegmentRange range = problem_.segments.of_tensor[tensor];
      for (int s = range.begin; graph_.tensors[tensor].kind == Kind::input && s < range.end; ++s)
        readers[s].push_back(static_cast<TaskId>(t));
    }
  }
  std::vector<std::pair<int, std::vector<TaskId>>> all(readers.begin(), readers.end());
  const auto bytes = [&](int s) {
    return problem_.segments.end_bytes[s] - problem_.segments.begin_bytes[s];
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const auto& a, const auto& b) { return bytes(a.first) > bytes(b.first); });
  return all;
}

void TaskBytes::pin_inputs() {
  const auto edges =
      std::accumulate(problem_.needs.begin(), problem_.needs.end(), std::int64_t{0},
                      [](std::int64_t sum, const auto& list) { return sum + std::ssize(list); });
  std::int64_t visits = 0;
  for (const auto& [segment, readers] : readers_of_inputs()) {
    visits += edges + std::ssize(forced_);
    if (visits > most_passed) break;
    pin(segment, readers);
  }
  for (SegmentSet& set : pinned_) std::sort(set.begin(), set.end());
}

void TaskBytes::pin(int segment, const std::vector<TaskId>& readers) {
  std::vector<bool> reads(forced_.size(), false);
  for (const TaskId reader : readers) reads[reader] = true;
  std::vector<bool> read_by_then = reads;  // by the task itself or one before it
  std::vector<bool> read_later(forced_.size(), false);
  for (std::size_t t = 0; t < forced_.size(); ++t) {
    for (const TaskId earlier : problem_.needs[t])
      read_by_then[t] = read_by_then[t] || read_by_then[earlier];
  }
  for (std::size_t t = forced_.size(); t-- > 0;) {
    for (const TaskId earlier : problem_.needs[t])
      read_later[earlier] = read_later[earlier] || reads[t] || read_later[t];
  }
  for (std::size_t t = 0; t < forced_.size(); ++t) {
    if (forced_[t] && read_by_then[t] && read_later[t]) pinned_[t].push_back(segment);
  }
}

}  // namespace stint
