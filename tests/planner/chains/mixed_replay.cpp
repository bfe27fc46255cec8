#include "tests/planner/chains/mixed_replay.hpp"

#include <fmt/format.h>

#include <set>

namespace stint {

namespace {

struct Machine {
  std::int64_t slots = 0;
  std::int64_t left = 0;  // steps to reverse
  std::int64_t x = 0;
  std::int64_t tape = -1;
  std::set<std::int64_t> inputs = {};
  std::set<std::int64_t> tapes = {};
  std::int64_t forwards = 0;

  [[nodiscard]] bool full() const {
    return static_cast<std::int64_t>(inputs.size() + tapes.size()) >= slots;
  }

  bool advance(std::int64_t from, std::int64_t to) {
    const bool legal = x == from && to > from && to <= left;
    forwards += to - from;
    x = to;
    return legal;
  }

  bool reverse(std::int64_t index) {
    const bool legal = tape == index && index == left - 1;
    tape = -1;
    --left;
    return legal;
  }

  bool obey(const MixedStep& step) {
    const std::int64_t i = step.index;
    switch (step.action) {
      case MixedAction::forward:
        return advance(i, step.until);
      case MixedAction::tape:
        tape = i;
        return advance(i, i + 1);
      case MixedAction::store_input:
        return x == i && !full() && inputs.insert(i).second;
      case MixedAction::load_input:
        x = i;
        return inputs.contains(i);
      case MixedAction::drop_input:
        return inputs.erase(i) == 1;
      case MixedAction::store_tape:
        return tape == i && !full() && tapes.insert(i).second;
      case MixedAction::load_tape:
        tape = i;
        return tapes.contains(i);
      case MixedAction::drop_tape:
        return tapes.erase(i) == 1;
      case MixedAction::reverse:
        return reverse(i);
    }
    return false;
  }
};

}  // namespace

MixedReplay replay_mixed(const MixedProblem& problem, const MixedPlan& plan) {
  Machine machine{problem.slots, problem.steps};
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (!machine.obey(plan.steps[i])) return {0, fmt::format("step {} is not allowed", i)};
  }
  if (machine.left != 0) return {0, fmt::format("{} steps are not reversed", machine.left)};
  return {machine.forwards, ""};
}

}  // namespace stint
