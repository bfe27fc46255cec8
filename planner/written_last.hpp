// Moments before a task runs, of which one there is in every schedule: all that it reads was
// written, one of it last, and as that is written the others are there. The second half of the
// bound on memory (memory_bound.hpp, which has the argument).
//
// Which one is the last nobody knows, so it is the one that takes least. The same holds of some of
// what the task reads: small ones may come last for nothing, so the largest count, as many as say
// most.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/task_bytes.hpp"

namespace stint {

// What is there while a task runs: some other, or one that writes something for another.
struct MemoryMoment {
  std::int64_t bytes = 0;
  SegmentSet there;
  std::vector<TaskId> begun{};  // for sure, with all that they need
};

const MemoryMoment& least_of(const std::vector<MemoryMoment>& moments);

class WrittenLast {
 public:
  // `bytes` stays where it is, and is of a memory without links.
  WrittenLast(const Problem& problem, const TaskBytes& bytes);

  // Of each of these lists there is one of the moments at least.
  std::vector<std::vector<MemoryMoment>> moments_before(std::size_t task) const;

 private:
  MemoryMoment moment_of_writing(TensorId last, const std::vector<TensorId>& made) const;
  TaskId writer_of(TensorId tensor) const;

  const Problem& problem_;
  const Graph& graph_;
  const TaskBytes& bytes_;
  std::vector<TaskId> writer_of_segment_;  // no_task: none, or several
  std::vector<bool> is_whole_;             // by tensor: a task writes it as such
};

}  // namespace stint
