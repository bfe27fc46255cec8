// Mixed checkpointing: n equal steps and s equal slots, each of which holds an input or a tape.
//
// Working memory, which is free, holds the current x and one tape. A forward costs 1 whether it
// records its tape or not; step i is reversed when its tape is in working memory, the last step
// first. x_0 is in working memory at the start. The least number of forwards:
//
//   V(n, s) = n, n <= s+1;  V(n, 0) = inf, n > 1
//   V(n, s) = min(1 + V(n-1, s-1), min_{2<=i<n} i + V(i, s) + V(n-i, s-1))
//
// The first term keeps the tape of the first step, the second its input. Optimal. O(s n log n) by
// min_plus.hpp, O(s n) doubles. Tapes of another size than inputs are not this model.
//
// J. R. Maddison: Step-based checkpointing with high-level algorithmic differentiation, J. Comput.
// Sci. 82 (2024).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace stint {

struct MixedProblem {
  std::int64_t steps = 1;  // n
  std::int64_t slots = 1;  // s
};

enum class MixedAction {
  forward,      // without tape: from x_index to x_until
  tape,         // forward from x_index to the next, and its tape is in working memory
  store_input,  // x_index, from working memory into a slot
  load_input,
  drop_input,
  store_tape,  // of step index
  load_tape,
  drop_tape,
  reverse,  // step index
};

struct MixedStep {
  MixedAction action = MixedAction::forward;
  std::int64_t index = 0;
  std::int64_t until = 0;  // forward only
  bool operator==(const MixedStep&) const = default;
};

struct MixedPlan {
  std::int64_t forwards = 0;
  std::vector<MixedStep> steps;
};

// Absent if there is no slot and more than one step.
std::optional<MixedPlan> solve_mixed(const MixedProblem& problem);

}  // namespace stint
