#include "planner/chains/h_revolve.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "planner/chains/min_plus.hpp"
#include "planner/chains/revolve.hpp"

namespace stint {

namespace {

struct LevelTable {
  SyncLevel level;
  int number = 0;                         // in the problem
  bool closed_form = false;               // Revolve; no rows
  bool complete = true;                   // no slot was left out to save memory
  std::vector<double> below;              // D_{k-1}
  std::vector<std::vector<double>> rows;  // P_k(., m) for m = 1…; the last holds for more slots
  std::vector<double> whole;              // D_k

  [[nodiscard]] const std::vector<double>& stored(std::int64_t m) const {
    return rows[std::min<std::int64_t>(m, rows.size()) - 1];
  }
  // H_k(q, m)
  [[nodiscard]] double buffered(std::int64_t q, std::int64_t m) const {
    if (m == 0) return below[q];
    return std::min(below[q], level.write_cost + stored(m)[q]);
  }
  // j uf + H_k(q-j, m-1) + r[k] + P_k(j-1, m), by j
  [[nodiscard]] double split_cost(double uf, std::int64_t q, std::int64_t m, std::int64_t j) const {
    return static_cast<double>(j) * uf + buffered(q - j, m - 1) + level.read_cost +
           stored(m)[j - 1];
  }
};

std::vector<double> buffered_row(const LevelTable& table, std::int64_t m) {
  std::vector<double> row(table.below.size());
  for (std::size_t q = 0; q < row.size(); ++q) row[q] = table.buffered(q, m);
  return row;
}

std::vector<double> stored_row(const LevelTable& table, const std::vector<double>& fewer_slots,
                               double uf) {
  std::vector<double> row = {table.below[0]};
  row.reserve(table.below.size());
  OnlineMinPlus least(fewer_slots);
  for (std::size_t q = 1; q < table.below.size(); ++q) {
    const double there_and_back = static_cast<double>(q) * uf + table.level.read_cost;
    row.push_back(std::min(table.below[q], least.next(there_and_back + row[q - 1])));
  }
  return row;
}

void fill_rows(LevelTable& table, double uf, std::int64_t max_cells) {
  const auto length = static_cast<std::int64_t>(table.below.size()) - 1;
  const std::int64_t useful = std::min(table.level.slots, length);
  table.level.slots = std::min(useful, std::max<std::int64_t>(1, max_cells / (length + 1)));
  table.complete = useful == table.level.slots;
  table.whole = table.below;
  for (std::int64_t m = 1; m <= table.level.slots; ++m) {
    table.rows.push_back(stored_row(table, table.whole, uf));
    std::vector<double> now = buffered_row(table, m);
    if (now == table.whole) {  // and so for every further slot
      table.complete = true;
      return;
    }
    table.whole = std::move(now);
  }
}

LevelTable make_table(const SyncProblem& problem, int number, const LevelTable* below,
                      std::int64_t max_cells) {
  LevelTable table;
  table.level = problem.levels[number];
  table.number = number;
  if (below) {
    table.below = below->whole;
  } else {
    table.below.assign(problem.length + 1, no_cost);
    table.below[0] = problem.backward_cost;
  }
  table.closed_form = !below && table.level.write_cost == 0 && table.level.read_cost == 0;
  if (table.closed_form) {
    table.whole = revolve_costs(
        {problem.length, table.level.slots, problem.forward_cost, problem.backward_cost});
  } else {
    fill_rows(table, problem.forward_cost, max_cells);
  }
  return table;
}

// A chain of length q that starts with x_first in the buffer, or in a slot of level k.
struct HRevolvePart {
  int k = 0;
  std::int64_t first = 0;
  std::int64_t q = 0;
  std::int64_t m = 0;  // free slots of level k, that of x_first included
  bool stored = false;
};

class HRevolvePlanner {
 public:
  HRevolvePlanner(const SyncProblem& problem, const std::vector<LevelTable>& tables)
      : problem_(problem), tables_(tables) {}

  std::vector<SyncStep> steps() {
    push_below(static_cast<int>(tables_.size()), 0, problem_.length);
    while (!parts_.empty()) {
      const HRevolvePart part = parts_.back();
      parts_.pop_back();
      reverse(part);
    }
    return std::move(steps_);
  }

 private:
  // The levels below k take the chain over, with all their slots.
  void push_below(int k, std::int64_t first, std::int64_t q) {
    parts_.push_back({k - 1, first, q, k > 0 ? tables_[k - 1].level.slots : 0, false});
  }

  void reverse(const HRevolvePart& part) {
    if (part.k < 0) {
      steps_.push_back(backward_step(part.first));
    } else if (const LevelTable& table = tables_[part.k]; table.closed_form) {
      append_revolve({part.q, table.level.slots, problem_.forward_cost, problem_.backward_cost},
                     part.first, table.number, steps_);
    } else if (part.stored) {
      steps_.push_back(read_step(table.number, part.first));
      reverse_stored(part, table);
    } else if (part.m == 0 || table.buffered(part.q, part.m) == table.below[part.q]) {
      push_below(part.k, part.first, part.q);
    } else {
      steps_.push_back(write_step(table.number, part.first));
      reverse_stored(part, table);
    }
  }

  void reverse_stored(const HRevolvePart& part, const LevelTable& table) {
    if (table.stored(part.m)[part.q] == table.below[part.q]) {
      steps_.push_back(discard_step(table.number, part.first));
      push_below(part.k, part.first, part.q);
      return;
    }
    const std::int64_t j = best_split(part.q, [&](std::int64_t i) {
      return table.split_cost(problem_.forward_cost, part.q, part.m, i);
    });
    steps_.push_back(forward_step(part.first, part.first + j));
    parts_.push_back({part.k, part.first, j - 1, part.m, true});
    parts_.push_back({part.k, part.first + j, part.q - j, part.m - 1, false});
  }

  const SyncProblem& problem_;
  const std::vector<LevelTable>& tables_;
  std::vector<HRevolvePart> parts_;
  std::vector<SyncStep> steps_;
};

std::vector<int> used_levels(const SyncProblem& problem, std::vector<int> order) {
  if (order.empty()) {
    order.resize(problem.levels.size());
    std::iota(order.begin(), order.end(), 0);
  }
  std::erase_if(order, [&](int level) { return problem.levels[level].slots < 1; });
  return order;
}

bool is_monotone(const SyncProblem& problem, const std::vector<int>& order) {
  return std::is_sorted(order.begin(), order.end(), [&](int a, int b) {
    return problem.levels[a].write_cost < problem.levels[b].write_cost ||
           problem.levels[a].read_cost < problem.levels[b].read_cost;
  });
}

}  // namespace

std::optional<SyncPlan> solve_h_revolve(const SyncProblem& problem,
                                        const HRevolveOptions& options) {
  const std::vector<int> order = used_levels(problem, options.order);
  std::vector<LevelTable> tables;
  bool complete = true;
  for (const int level : order) {
    tables.push_back(
        make_table(problem, level, tables.empty() ? nullptr : &tables.back(), options.max_cells));
    complete = complete && tables.back().complete;
  }
  if (tables.empty() && problem.length > 0) return std::nullopt;
  SyncPlan plan;
  plan.cost = tables.empty() ? problem.backward_cost : tables.back().whole.back();
  plan.lower_bound = complete && is_monotone(problem, order) ? plan.cost : 0;
  plan.steps = HRevolvePlanner(problem, tables).steps();
  return plan;
}

}  // namespace stint
