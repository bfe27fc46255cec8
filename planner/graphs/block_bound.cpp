#include "planner/graphs/block_bound.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace stint {
namespace {

constexpr std::int64_t finest_units = 1280;
constexpr std::int64_t plan_units = 640;  // the same for plans, which have more kinds of blocks
constexpr std::int64_t never = INT64_MAX / 4;
constexpr std::int64_t without_end = INT64_MAX / 4;  // bytes
constexpr std::int64_t share_of_search = 6;          // of all states, that one search may look at

// What one kind of block computes again, at least, by units kept and units that others hold.
class KindOfBlock {
 public:
  KindOfBlock(const RerunBlock& block, bool lends, bool borrows, int units)
      : block_(&block),
        lends_(lends),
        borrows_(borrows),
        units_(units),
        costs_((units + 1) * (units + 1), 0),
        is_known_((units + 1) * (units + 1), false) {}

  const RerunBlock& block() const { return *block_; }
  bool lends() const { return lends_; }
  bool borrows() const { return borrows_; }
  std::int64_t cost(int kept, int held) const { return costs_[place(kept, held)]; }
  const std::int64_t* costs_keeping(int kept) const { return &costs_[place(kept, 0)]; }  // by held
  bool is_known(int kept, int held) const { return is_known_[place(kept, held)]; }

  // Where less is kept, or others hold more, it costs no less.
  void note(int kept, int held, std::int64_t cost) {
    for (int k = 0; k <= kept; ++k)
      for (int h = held; h + k <= units_; ++h)
        costs_[place(k, h)] = std::max(costs_[place(k, h)], cost);
  }
  // Nothing more is to be learned there.
  void settle(int least_kept, int kept, int held, int most_held) {
    for (int k = least_kept; k <= kept; ++k)
      for (int h = held; h <= most_held && h + k <= units_; ++h) is_known_[place(k, h)] = true;
  }

 private:
  std::size_t place(int kept, int held) const {
    return static_cast<std::size_t>(kept) * (units_ + 1) + held;
  }

  const RerunBlock* block_;
  bool lends_;
  bool borrows_;
  int units_;
  std::vector<std::int64_t> costs_;
  std::vector<bool> is_known_;
};

class BlockSums {
 public:
  BlockSums(const BlockRow& row, const BlockBoundOptions& options)
      : row_(row), options_(options), states_left_(options.most_states) {
    std::int64_t unit = 0;
    for (const RerunBlock& block : row.blocks) {
      if (block.in_any_memory) continue;
      for (const std::int64_t bytes : block.item_bytes) unit = std::gcd(unit, bytes);
    }
    const std::int64_t finest = options.is_alone ? plan_units : finest_units;
    const std::int64_t coarse = (options.capacity_bytes + finest - 1) / finest;
    unit_ = std::max<std::int64_t>({unit, coarse, 1});
    units_ = static_cast<int>(options.capacity_bytes / unit_);
    for (const RerunBlock& block : row.blocks) {
      auto& kinds = kind_.emplace_back();
      for (int lends = 0; lends < ways_to_lend(); ++lends)
        for (int borrows = 0; borrows < ways_to_lend(); ++borrows)
          kinds[lends][borrows] = kind_of(block, lends != 0, borrows != 0);
    }
  }

  BlockBound bound() {
    BlockBound bound;
    for (KindOfBlock& kind : kinds_)
      if (!kind.block().tasks.empty()) begin(kind);
    while (true) {
      const std::int64_t least = solve();
      if (least >= never) return bound;  // no plan at all: for others to say
      bound.cost = std::min(std::max(bound.cost, least), options_.enough);
      least_sum_ = least;
      bound.is_over = bound.cost >= options_.enough;
      if (bound.is_over) return bound;
      if (search_more()) continue;
      bound.is_over = !is_over();
      if (bound.is_over) bound.ways = ways();
      return bound;
    }
  }

 private:
  int kind_of(const RerunBlock& block, bool lends, bool borrows) {
    const auto may_borrow = [](const RerunTask& task) { return task.reads_of_later; };
    lends = lends && block.lent != 0;
    borrows = borrows && std::any_of(block.tasks.begin(), block.tasks.end(), may_borrow);
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      const KindOfBlock& kind = kinds_[k];
      if (kind.block() == block && kind.lends() == lends && kind.borrows() == borrows)
        return static_cast<int>(k);
    }
    kinds_.emplace_back(block, lends, borrows, units_);
    return static_cast<int>(kinds_.size()) - 1;
  }
  // For a bound whoever reads of others has that anyway.
  int ways_to_lend() const { return options_.is_alone ? 2 : 1; }

  // V, from the last block on, with and without what each lends to the one before it; ties go to
  // what keeps less. Then the way of the least sum.
  std::int64_t solve() {
    const std::size_t blocks = row_.blocks.size();
    using Sums = std::vector<std::int64_t>;
    std::array<Sums, 2> after{Sums(units_ + 1, never), Sums(units_ + 1, never)};
    after[0][0] = 0;
    std::vector<std::array<std::vector<Choice>, 2>> best(blocks);
    for (std::size_t j = blocks; j-- > 0;) {
      std::array<Sums, 2> here{Sums(units_ + 1, never), Sums(units_ + 1, never)};
      for (int lends = 0; lends < ways_to_lend(); ++lends) {
        best[j][lends].resize(units_ + 1);
        for (int borrows = 0; borrows < ways_to_lend(); ++borrows) {
          // Those that have nothing to lend stand between others, and pass on what these do.
          if (row_.blocks[j].lent == 0 && lends != borrows) continue;
          const KindOfBlock& kind = kinds_[kind_[j][lends][borrows]];
          // By what it keeps, since the costs of one row lie side by side.
          for (int a = 0; a <= units_; ++a) {
            const std::int64_t* const costs = kind.costs_keeping(a);
            std::int64_t* const sums = here[lends].data() + a;
            Choice* const choices = best[j][lends].data() + a;
            for (int held = 0; held + a <= units_; ++held) {
              const std::int64_t cost = costs[held] + after[borrows][held];
              if (cost >= sums[held]) continue;
              sums[held] = cost;
              choices[held] = {a, borrows};
            }
          }
        }
      }
      after = std::move(here);
    }
    const auto most = static_cast<int>(
        std::max<std::int64_t>(options_.capacity_bytes - row_.first_bytes, 0) / unit_);
    const auto least =
        std::min_element(after[0].begin(), after[0].begin() + std::min(most, units_) + 1);
    way_.clear();
    int left = static_cast<int>(least - after[0].begin());
    int lends = 0;  // the first to nobody
    for (std::size_t j = 0; j < blocks && *least < never; ++j) {
      const Choice choice = best[j][lends][left];
      left -= choice.kept;
      way_.push_back({kind_[j][lends][choice.borrows], choice.kept, left});
      lends = choice.borrows;
    }
    return *least;
  }

  // Of the blocks on the way what is not known yet; false if that is nothing.
  bool search_more() {
    bool is_more = false;
    for (const Step& step : way_) {
      KindOfBlock& kind = kinds_[step.kind];
      if (kind.is_known(step.kept, step.held) || kind.block().tasks.empty() || is_over()) continue;
      search(kind, step.kept, step.held);
      is_more = true;
    }
    return is_more;
  }
  bool is_over() const {
    return states_left_ <= 0 || (options_.interrupted != nullptr && options_.interrupted->load());
  }

  std::vector<Reruns> ways() const {
    std::vector<Reruns> all;
    for (const Step& step : way_) {
      const KindOfBlock& kind = kinds_[step.kind];
      all.push_back(least_reruns(kind.block(), limits(kind, step.kept, step.held)));
    }
    return all;
  }
  RerunLimits limits(const KindOfBlock& kind, int kept, int held) const {
    RerunLimits limits;
    limits.kept_bytes = (kept + 1) * unit_ - 1;
    limits.held_bytes = held * unit_;
    limits.capacity_bytes = options_.capacity_bytes - limits.held_bytes;
    if (kind.block().in_any_memory) limits.capacity_bytes = without_end;
    limits.is_alone = options_.is_alone;
    limits.lends = kind.lends();
    limits.borrows = kind.borrows();
    limits.enough = options_.enough;
    limits.most_states = std::min(states_left_, options_.most_states / share_of_search);
    limits.interrupted = options_.interrupted;
    return limits;
  }

  // With as much kept as there is at first, then with less than was made use of, down to `least`.
  // What costs so much more than is known that no sum with it counts need not be known better.
  void search(KindOfBlock& kind, int least, int held) {
    const std::int64_t too_much = kind.cost(least, held) + (options_.enough - least_sum_);
    for (int kept = units_ - held; kept >= least && !is_over();) {
      if (kind.is_known(kept, held)) {
        --kept;
        continue;
      }
      RerunLimits within = limits(kind, kept, held);
      within.enough = std::min(too_much, within.enough);
      const Reruns found = least_reruns(kind.block(), within);
      states_left_ -= found.states + 1;
      kind.note(kept, held, std::min(found.cost, never));
      if (found.cost >= too_much) return kind.settle(0, kept, held, units_);
      if (!found.is_exact) {
        const int next = found.cost >= never ? 0 : std::max(kept - kept / 4, least);
        kind.settle(next, kept, held, held);
        kept = next - 1;
        continue;
      }
      const auto used = static_cast<int>(std::min<std::int64_t>(found.kept_bytes / unit_, kept));
      const std::int64_t spare = (within.capacity_bytes - found.peak_bytes) / unit_;
      kind.settle(used, kept, held, static_cast<int>(std::min<std::int64_t>(held + spare, units_)));
      kept = used - 1;
    }
  }

  // As if there were memory without end, which is quick: what it costs at least to keep so little.
  void begin(KindOfBlock& kind) {
    for (int kept = units_; kept >= 0 && !is_over();) {
      RerunLimits within = limits(kind, kept, 0);
      within.capacity_bytes = without_end;
      const Reruns found = least_reruns(kind.block(), within);
      states_left_ -= found.states + 1;
      kind.note(kept, 0, std::min(found.cost, never));
      if (!found.is_exact) break;
      kept = static_cast<int>(std::min<std::int64_t>(found.kept_bytes / unit_, kept)) - 1;
    }
    if (kind.block().in_any_memory) kind.settle(0, units_, 0, units_);
  }

  struct Choice {
    int kept = 0;
    int borrows = 0;
  };
  struct Step {
    int kind = 0;
    int kept = 0;
    int held = 0;
  };

  const BlockRow& row_;
  const BlockBoundOptions& options_;
  std::int64_t states_left_;
  std::int64_t unit_ = 1;
  int units_ = 0;
  std::vector<KindOfBlock> kinds_;
  std::vector<std::array<std::array<int, 2>, 2>> kind_;  // by block, what it lends, and borrows
  std::vector<Step> way_;                                // by block
  std::int64_t least_sum_ = 0;
};

}  // namespace

BlockBound block_bound(const BlockRow& row, const BlockBoundOptions& options) {
  if (row.blocks.empty() || options.capacity_bytes <= 0) return {};
  return BlockSums(row, options).bound();
}

}  // namespace stint
