// Where inputs and state are when the step begins. State whose updates belong together — a task
// updates both — shares one home, a memory in which some device of the crew runs each of those
// tasks.
#pragma once

#include <vector>

#include "planner/pieces.hpp"
#include "planner/problem.hpp"

namespace stint {

class Homes {
 public:
  // `workers`: by device how many of its workers are in the crew.
  Homes(const Problem& problem, const Pieces& pieces, const std::vector<int>& workers);

  // The home of a piece, or no_memory as long as it has none.
  MemoryId of(PieceId piece) const { return home_[group(piece)]; }
  bool may_be(PieceId piece, MemoryId memory) const;
  // The home that a piece has or would get when it is needed in a memory: this one if it may,
  // else the first that may; no_memory if there is none.
  MemoryId near(PieceId piece, MemoryId memory) const;
  void settle(PieceId piece, MemoryId home) { home_[group(piece)] = home; }
  MemoryId first_memory() const { return first_memory_; }

 private:
  int group(int piece) const;
  void join_updates(const Task& task, const Pieces& pieces);
  void forbid(const Problem& problem, TaskId task, const Pieces& pieces,
              const std::vector<int>& workers);

  mutable std::vector<int> parent_;           // of a piece in its group
  std::vector<std::vector<bool>> forbidden_;  // [group][memory]; empty: none
  std::vector<bool> has_device_;              // by memory: one of the crew
  std::vector<MemoryId> home_;                // by group
  MemoryId first_memory_ = no_memory;
};

}  // namespace stint
