#include "planner/chains/mixed.hpp"

#include <algorithm>
#include <limits>

#include "planner/chains/min_plus.hpp"

namespace stint {

namespace {

// V(n, s) by s and then n - 1: doubles hold it exactly, and infinity.
using MixedTable = std::vector<std::vector<double>>;

std::vector<double> next_row(const std::vector<double>& fewer_slots, std::int64_t s) {
  std::vector<double> row = {1};
  OnlineMinPlus least(fewer_slots);
  const auto steps = static_cast<std::int64_t>(fewer_slots.size());
  for (std::int64_t n = 2; n <= steps; ++n) {
    const double keep_input = least.next(static_cast<double>(n - 1) + row[n - 2]);
    const double keep_tape = 1 + fewer_slots[n - 2];
    row.push_back(n <= s + 1 ? static_cast<double>(n) : std::min(keep_tape, keep_input));
  }
  return row;
}

MixedTable filled(const MixedProblem& problem) {
  MixedTable table(1, std::vector<double>(problem.steps, std::numeric_limits<double>::infinity()));
  table[0][0] = 1;
  const std::int64_t slots = std::min(problem.slots, problem.steps - 1);
  for (std::int64_t s = 1; s <= slots; ++s) table.push_back(next_row(table.back(), s));
  return table;
}

struct MixedPart {
  std::int64_t first = 0;
  std::int64_t n = 0;  // 0: only the stored tape of x_first is left
  std::int64_t s = 0;
  bool stored = false;  // x_first is in a slot
};

class MixedPlanner {
 public:
  explicit MixedPlanner(const MixedProblem& problem) : table_(filled(problem)) {}

  MixedPlan plan(std::int64_t n) {
    const auto s = static_cast<std::int64_t>(table_.size()) - 1;
    plan_.forwards = static_cast<std::int64_t>(value(n, s));
    parts_.push_back({0, n, s, false});
    while (!parts_.empty()) {
      const MixedPart part = parts_.back();
      parts_.pop_back();
      reverse(part);
    }
    return std::move(plan_);
  }

 private:
  [[nodiscard]] double value(std::int64_t n, std::int64_t s) const { return table_[s][n - 1]; }

  void add(MixedAction action, std::int64_t index, std::int64_t until = 0) {
    plan_.steps.push_back({action, index, until});
  }

  void reverse(const MixedPart& part) {
    if (part.stored) {
      add(MixedAction::load_input, part.first);
      add(MixedAction::drop_input, part.first);
    }
    if (part.n == 0) {
      reverse_taped(part.first);
    } else if (part.n == 1) {
      add(MixedAction::tape, part.first);
      add(MixedAction::reverse, part.first);
    } else if (value(part.n, part.s) == 1 + value(part.n - 1, part.s - 1)) {
      keep_tape(part);
    } else {
      keep_input(part);
    }
  }

  void reverse_taped(std::int64_t index) {
    add(MixedAction::load_tape, index);
    add(MixedAction::drop_tape, index);
    add(MixedAction::reverse, index);
  }

  void keep_tape(const MixedPart& part) {
    add(MixedAction::tape, part.first);
    add(MixedAction::store_tape, part.first);
    parts_.push_back({part.first, 0, 0, false});
    parts_.push_back({part.first + 1, part.n - 1, part.s - 1, false});
  }

  void keep_input(const MixedPart& part) {
    const std::int64_t i = best_split(part.n - 1, [&](std::int64_t j) {
      return static_cast<double>(j) + value(j, part.s) + value(part.n - j, part.s - 1);
    });
    add(MixedAction::store_input, part.first);
    add(MixedAction::forward, part.first, part.first + i);
    parts_.push_back({part.first, i, part.s, true});
    parts_.push_back({part.first + i, part.n - i, part.s - 1, false});
  }

  MixedTable table_;
  std::vector<MixedPart> parts_;
  MixedPlan plan_;
};

}  // namespace

std::optional<MixedPlan> solve_mixed(const MixedProblem& problem) {
  if (problem.steps < 1) return MixedPlan{};
  if (problem.slots < 1 && problem.steps > 1) return std::nullopt;
  return MixedPlanner(problem).plan(problem.steps);
}

}  // namespace stint
