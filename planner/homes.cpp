#include "planner/homes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stint {

Homes::Homes(const Problem& problem, const Pieces& pieces, const std::vector<int>& workers)
    : parent_(pieces.tensor.size()),
      forbidden_(pieces.tensor.size()),
      has_device_(problem.platform().memories.size(), false),
      home_(pieces.tensor.size(), no_memory) {
  std::iota(parent_.begin(), parent_.end(), 0);
  for (std::size_t d = 0; d < workers.size(); ++d) {
    if (workers[d] == 0) continue;
    const MemoryId memory = problem.platform().devices[d].memory;
    has_device_[memory] = true;
    if (first_memory_ == no_memory) first_memory_ = memory;
  }
  const auto& tasks = problem.graph().tasks;
  for (const Task& task : tasks) join_updates(task, pieces);
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    if (!tasks[t].updates.empty()) forbid(problem, static_cast<TaskId>(t), pieces, workers);
  }
}

bool Homes::may_be(PieceId piece, MemoryId memory) const {
  const int g = group(piece);
  if (home_[g] != no_memory) return home_[g] == memory;
  return has_device_[memory] && (forbidden_[g].empty() || !forbidden_[g][memory]);
}

MemoryId Homes::near(PieceId piece, MemoryId memory) const {
  if (of(piece) != no_memory) return of(piece);
  if (may_be(piece, memory)) return memory;
  for (std::size_t m = 0; m < has_device_.size(); ++m) {
    if (may_be(piece, static_cast<MemoryId>(m))) return static_cast<MemoryId>(m);
  }
  return no_memory;
}

int Homes::group(int piece) const {
  while (parent_[piece] != piece) piece = parent_[piece] = parent_[parent_[piece]];
  return piece;
}

void Homes::join_updates(const Task& task, const Pieces& pieces) {
  int first = -1;
  for (const TensorId tensor : task.updates) {
    for (const PieceId piece : pieces.of_tensor[tensor]) {
      if (first < 0) first = group(piece);
      parent_[group(piece)] = first;
    }
  }
}

// Forbids the memories in which no device of the crew runs the task.
void Homes::forbid(const Problem& problem, TaskId task, const Pieces& pieces,
                   const std::vector<int>& workers) {
  std::vector<bool> runs(has_device_.size(), false);
  for (std::size_t d = 0; d < workers.size(); ++d) {
    if (workers[d] > 0 && std::isfinite(problem.seconds[d][task]))
      runs[problem.platform().devices[d].memory] = true;
  }
  const TensorId updated = problem.graph().tasks[task].updates.front();
  auto& forbidden = forbidden_[group(pieces.of_tensor[updated].front())];
  forbidden.resize(runs.size(), false);
  for (std::size_t m = 0; m < runs.size(); ++m) forbidden[m] = forbidden[m] || !runs[m];
}

}  // namespace stint
