// What is left of a step's inputs at a moment, at the least: an input comes in once, so whatever is
// computed from it later passes through what is there now.
//
// At a moment some tasks have begun and others have not. Every way through tensors from an input
// that was read to one that a task reads which has not begun leads over a tensor that is there, or
// nobody could make the last one. The fewest bytes that all ways lead over are a cut of least
// capacity between the two, the tensors being the nodes (Menger 1927). It holds for every order,
// however often tasks run, in a memory that nothing leaves or comes to. Tensors that are parts or
// have some, and those that several tasks write, are taken as there for nothing.
//
// Cost: a maximal flow for each moment.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/problem.hpp"

namespace stint {

class SourceCut {
 public:
  // Tasks that may run elsewhere (not `here`) say nothing.
  SourceCut(const Problem& problem, const Memory& memory, const std::vector<bool>& here);

  struct Moment {
    std::vector<TaskId> begun;  // with all that they need
    TaskId next = no_task;      // has not begun, nor has any task that needs it
    std::vector<int> there;     // segments, ascending, that are there in any case
  };

  // Segments, ascending: of what is there beside the rest. As many bytes as these are.
  std::vector<int> least(const Moment& moment) const;

  std::int64_t most_bytes() const { return input_bytes_; }  // of any cut
  std::int64_t size() const { return size_; }               // of the network

 private:
  std::vector<char> begun_by(const std::vector<TaskId>& tasks) const;
  std::vector<char> waiting_for(TaskId task) const;
  bool is_node(TensorId tensor) const { return bytes_[tensor] > 0; }

  const Problem& problem_;
  const std::vector<bool>& here_;
  std::vector<std::int64_t> bytes_;  // by tensor; 0: no node
  std::int64_t input_bytes_ = 0;
  std::int64_t size_ = 0;
};

}  // namespace stint
