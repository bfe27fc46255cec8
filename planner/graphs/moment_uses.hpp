// What a master problem (moments.hpp) has to decide about: items that count for nothing, and by
// interval what somebody may still need.
#pragma once

#include <vector>

#include "planner/graphs/moments.hpp"

namespace stint {

struct MomentUses {
  // By item: we count nothing for it and take it as always there. In bounds what several tasks
  // write, or what may leave in parts; in rough ones also what is small, and what only updates of
  // state read: gradients of weights, which are updated at once.
  std::vector<char> is_free;
  std::vector<char> is_idle;              // by task: it only touches what is free, in a rough bound
  std::vector<std::vector<char>> used;    // [interval][item]: may still be read in it or later
  std::vector<std::vector<char>> useful;  // [interval][task]: it may make sense to run it
};

MomentUses moment_uses(const MomentProblem& problem);

}  // namespace stint
