// What was seen of one kind of task in a step: its costs as a plan has them, and its seconds on one
// worker. The data that time models are fitted to, and judged by.
#pragma once

#include <vector>

#include "models/graph.hpp"

namespace stint {

struct Observation {
  Task task;           // op, shape, flops, bytes and features; no tensors
  double seconds = 0;  // with as many workers busy as is asked for
  bool held_out = false;
  std::size_t step = 0;   // in which it was seen
  std::size_t tasks = 1;  // that are alike in it; seconds are the mean over them
  // Of held-out steps only.
  double again_seconds = 0;  // the same, measured after all others
  double alone_seconds = 0;  // with every other core at rest
};

// Of a held-out step, what predictions are compared with.
inline double mean_seconds(const Observation& seen) {
  return (seen.seconds + seen.again_seconds) / 2;
}

}  // namespace stint
