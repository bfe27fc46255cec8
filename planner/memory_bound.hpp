// Bytes that a memory must have, whatever the schedule: proved, per memory.
//
// Only tasks that no device of another memory can run, or that do not fit into one, say something.
// While such a task runs, what it reads, writes and updates and its workspace are there; an output
// may take the place of an input if the task permits it. Of a memory without links more is known,
// because nothing leaves it and comes back:
// - state that such tasks use is there throughout;
// - an input exists once, so if a task before (or itself) and a task after it read it, it is there
//   during the task. (Some execution of the later one descends from an execution of the task, and
//   that from one of the earlier.)
// - before a task runs, all that it reads was written, one of it last; as that is written the
//   others are there, and none of their places is taken. (The buffer of each is there from the
//   start of the run that wrote it.) The one that takes least counts.
// - at all these moments, what is left of inputs that were read and will be needed
// (source_cut.hpp).
// - results that such tasks write are there together when the step ends.
// Sizes are rounded up to the alignment once for each whole: its parts may share a buffer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/problem.hpp"

namespace stint {

struct MemoryBound {
  std::int64_t bytes = 0;
  std::vector<TensorId> tensors;  // what fills it at that moment, the largest first
};

MemoryBound memory_bound(const Problem& problem, MemoryId memory);

// Why so many bytes are too few: as few tensors as possible, and the workspace of the task that
// runs if that is among the largest, that are there together at some moment and are more than these
// bytes; without any of them the rest is not.
struct MemoryReason {
  std::vector<TensorId> tensors;
  std::optional<TaskId> workspace_of;
  std::size_t size() const { return tensors.size() + (workspace_of ? 1 : 0); }
};

// Empty if the bound is not above the bytes, or only by what is written last: then no one moment
// explains it.
MemoryReason reason_above(const Problem& problem, MemoryId memory, std::int64_t bytes);

// Of all memories but storage together: the sum of their bounds, or the largest task wherever it
// runs.
std::int64_t least_memory(const Problem& problem);

}  // namespace stint
