#include "planner/chains/level_moves.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "planner/chains/min_plus.hpp"

namespace stint {

namespace {

constexpr int no_level = -1;

std::int64_t useful_slots(const SyncProblem& problem, int k) {
  return std::min(problem.levels[k].slots, problem.length);
}

// A chain of length q from x_first on, with the slots of `share`.
struct LevelPart {
  std::int64_t first = 0;
  std::int64_t q = 0;
  std::int64_t share = 0;
  int level = no_level;  // where x_first is stored, if it has to be read
};

class LevelMoves {
 public:
  explicit LevelMoves(const SyncProblem& problem);
  std::optional<SyncPlan> plan();

 private:
  [[nodiscard]] int levels() const { return static_cast<int>(problem_.levels.size()); }
  [[nodiscard]] bool has_slot(std::int64_t share, int k) const {
    return share / stride_[k] % (useful_slots(problem_, k) + 1) > 0;
  }
  [[nodiscard]] const std::vector<double>& kept(std::int64_t share, int k) const {
    return kept_[share * levels() + k];
  }
  [[nodiscard]] std::pair<double, int> cheapest(std::int64_t q, std::int64_t share, int from) const;
  [[nodiscard]] double buffered(std::int64_t q, std::int64_t share, int from) const {
    return q == 0 ? problem_.backward_cost : cheapest(q, share, from).first;
  }
  void fill(std::int64_t share);
  void reverse(const LevelPart& part, std::vector<LevelPart>& parts,
               std::vector<SyncStep>& steps) const;

  const SyncProblem& problem_;
  std::vector<std::int64_t> stride_;  // of each level in the number of a share M
  std::int64_t shares_ = 1;
  std::vector<std::vector<double>> kept_;  // G(., M, k), empty where M_k = 0
};

LevelMoves::LevelMoves(const SyncProblem& problem) : problem_(problem) {
  for (int k = 0; k < levels(); ++k) {
    stride_.push_back(shares_);
    shares_ *= useful_slots(problem, k) + 1;
  }
  kept_.resize(shares_ * levels());
  for (std::int64_t share = 0; share < shares_; ++share) fill(share);
}

// A(q, M) if from is no_level, else L(q, M, from); and the level in which x_0 is kept.
std::pair<double, int> LevelMoves::cheapest(std::int64_t q, std::int64_t share, int from) const {
  std::pair<double, int> best = {no_cost, no_level};
  if (from != no_level) best = {kept(share, from)[q], from};
  for (int k = 0; k < levels(); ++k) {
    if (k == from || !has_slot(share, k)) continue;
    const double cost = problem_.levels[k].write_cost + kept(share, k)[q];
    if (cost < best.first) best = {cost, k};
  }
  return best;
}

// All levels together, because L(q-1, M, k) looks at the others' G(q-1, M, .).
void LevelMoves::fill(std::int64_t share) {
  std::vector<std::pair<int, OnlineMinPlus>> least;
  for (int k = 0; k < levels(); ++k) {
    if (!has_slot(share, k)) continue;
    std::vector<double> right;
    for (std::int64_t q = 0; q < problem_.length; ++q) {
      right.push_back(buffered(q, share - stride_[k], no_level));
    }
    least.emplace_back(k, OnlineMinPlus(std::move(right)));
    kept_[share * levels() + k].reserve(problem_.length + 1);
    kept_[share * levels() + k].push_back(problem_.backward_cost);
  }
  for (std::int64_t q = 1; q <= problem_.length; ++q) {
    std::vector<double> row;
    for (auto& [k, splits] : least) {
      row.push_back(splits.next(static_cast<double>(q) * problem_.forward_cost +
                                problem_.levels[k].read_cost + buffered(q - 1, share, k)));
    }
    for (std::size_t i = 0; i < least.size(); ++i) {
      kept_[share * levels() + least[i].first].push_back(row[i]);
    }
  }
}

void LevelMoves::reverse(const LevelPart& part, std::vector<LevelPart>& parts,
                         std::vector<SyncStep>& steps) const {
  const bool stored = part.level != no_level;
  if (stored) steps.push_back(read_step(part.level, part.first));
  if (part.q == 0) {
    if (stored) steps.push_back(discard_step(part.level, part.first));
    steps.push_back(backward_step(part.first));
    return;
  }
  const int level = cheapest(part.q, part.share, part.level).second;
  if (level != part.level) {
    steps.push_back(write_step(level, part.first));
    if (stored) steps.push_back(discard_step(part.level, part.first));
  }
  const std::int64_t others = part.share - stride_[level];
  const std::int64_t j = best_split(part.q, [&](std::int64_t i) {
    return static_cast<double>(i) * problem_.forward_cost + buffered(part.q - i, others, no_level) +
           buffered(i - 1, part.share, level);
  });
  steps.push_back(forward_step(part.first, part.first + j));
  parts.push_back({part.first, j - 1, part.share, level});
  parts.push_back({part.first + j, part.q - j, others, no_level});
}

std::optional<SyncPlan> LevelMoves::plan() {
  SyncPlan plan;
  plan.cost = buffered(problem_.length, shares_ - 1, no_level);
  if (plan.cost == no_cost) return std::nullopt;
  std::vector<LevelPart> parts = {{0, problem_.length, shares_ - 1, no_level}};
  while (!parts.empty()) {
    const LevelPart part = parts.back();
    parts.pop_back();
    reverse(part, parts, plan.steps);
  }
  return plan;
}

}  // namespace

std::int64_t count_level_moves_cells(const SyncProblem& problem) {
  auto cells = static_cast<std::int64_t>(problem.levels.size());
  bool overflow = __builtin_mul_overflow(cells, problem.length + 1, &cells);
  for (int k = 0; k < static_cast<int>(problem.levels.size()); ++k) {
    overflow = overflow || __builtin_mul_overflow(cells, useful_slots(problem, k) + 1, &cells);
  }
  return overflow ? std::numeric_limits<std::int64_t>::max() : cells;
}

std::optional<SyncPlan> solve_level_moves(const SyncProblem& problem) {
  return LevelMoves(problem).plan();
}

}  // namespace stint
