// How many bytes a block of tasks holds while it runs once, in order: what it makes and what it
// takes over, each until its last use.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/problem.hpp"

namespace stint {

struct Block {
  std::vector<TaskId> tasks;
  std::vector<TensorId> given;   // there when it begins; gone after their last use here
  std::vector<TensorId> stays;   // there when it ends; of given ones and of those it writes
  std::vector<TensorId> loaded;  // inputs that come in when they are first read
};

struct StagePeak {
  std::int64_t bytes = 0;      // the most at once
  std::int64_t end_bytes = 0;  // what stays
};

// Tensors that are in none of the lists and not written here (the stage's own x and tape, state)
// are the caller's business. All sizes of the graph together must stay below huge_bytes.
StagePeak block_peak(const Problem& problem, const Block& block, const Memory& memory);

}  // namespace stint
