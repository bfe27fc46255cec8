// What is in a memory while a task runs there, whatever the schedule: the first half of the bound
// on memory (memory_bound.hpp, which has the argument).
//
// Bytes are known by segment (models/segments.hpp), so that tensors that share some count once, and
// are rounded up to the alignment once for each whole. Inputs that are read before and after a task
// are there during it: one pass over the graph for each, within a limit.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "planner/problem.hpp"

namespace stint {

using SegmentSet = std::vector<int>;  // ascending, each once

SegmentSet as_set(SegmentSet segments);
SegmentSet joined(SegmentSet a, const SegmentSet& b);

class TaskBytes {
 public:
  TaskBytes(const Problem& problem, MemoryId memory);

  const Memory& memory() const { return memory_; }
  bool is_isolated() const { return isolated_; }  // no link begins or ends here
  // By task: it can run, and fits, only in this memory.
  const std::vector<bool>& forced() const { return forced_; }
  const SegmentSet& state() const { return state_; }  // there throughout
  std::int64_t state_bytes() const { return state_bytes_; }

  // While the task runs here, with everything that is known to be there.
  std::int64_t during(std::size_t task) const;
  SegmentSet segments_during(std::size_t task) const;  // without state that is there throughout

  void add(TensorId tensor, SegmentSet& set) const;
  std::int64_t size(const SegmentSet& set) const { return size(set, memory_); }
  TensorId whole_of(int segment) const { return whole_of_[segment]; }

 private:
  std::int64_t size(const SegmentSet& set, const Memory& memory) const;
  bool only_in(MemoryId memory, std::size_t task) const;
  std::int64_t alone(std::size_t task, MemoryId memory) const;
  std::int64_t overwritten(std::size_t task) const;
  bool is_pinned(TensorId tensor, std::size_t task) const;
  void find_state();
  std::vector<std::pair<int, std::vector<TaskId>>> readers_of_inputs() const;
  void pin_inputs();
  void pin(int segment, const std::vector<TaskId>& readers);

  const Problem& problem_;
  const Graph& graph_;
  const Memory& memory_;
  std::vector<bool> forced_;
  std::vector<TensorId> whole_of_;  // by segment
  bool isolated_ = true;
  SegmentSet state_;
  std::int64_t state_bytes_ = 0;
  std::vector<SegmentSet> pinned_;  // by task: segments of inputs that are there during it
};

}  // namespace stint
