#include "planner/graphs/block_bound.hpp"

#include <algorithm>
#include <numeric>

namespace stint {
namespace {

constexpr std::int64_t finest_units = 160;
constexpr std::int64_t never = INT64_MAX / 4;
constexpr std::int64_t share_of_search = 6;  // of all states, that one search may look at

// What one kind of block computes again, at least, by units kept and units that others hold.
class KindOfBlock {
 public:
  KindOfBlock(const RerunBlock& block, int units)
      : block_(&block), units_(units), cells_((units + 1) * (units + 1)) {}

  const RerunBlock& block() const { return *block_; }
  std::int64_t cost(int kept, int held) const { return cell(kept, held).cost; }
  bool is_known(int kept, int held) const { return cell(kept, held).is_known; }

  // Where less is kept, or others hold more, it costs no less.
  void note(int kept, int held, std::int64_t cost) {
    for (int k = 0; k <= kept; ++k)
      for (int h = held; h <= units_; ++h) cell(k, h).cost = std::max(cell(k, h).cost, cost);
  }
  // Nothing more is to be learned there.
  void settle(int least_kept, int kept, int held, int most_held) {
    for (int k = least_kept; k <= kept; ++k)
      for (int h = held; h <= most_held; ++h) cell(k, h).is_known = true;
  }

 private:
  struct Cell {
    std::int64_t cost = 0;
    bool is_known = false;
  };
  Cell& cell(int kept, int held) { return cells_[kept * (units_ + 1) + held]; }
  const Cell& cell(int kept, int held) const { return cells_[kept * (units_ + 1) + held]; }

  const RerunBlock* block_;
  int units_;
  std::vector<Cell> cells_;
};

class BlockSums {
 public:
  BlockSums(const BlockRow& row, const BlockBoundOptions& options)
      : row_(row), options_(options), states_left_(options.most_states) {
    std::int64_t unit = 0;
    for (const RerunBlock& block : row.blocks)
      for (const std::int64_t bytes : block.item_bytes) unit = std::gcd(unit, bytes);
    const std::int64_t coarse = (options.capacity_bytes + finest_units - 1) / finest_units;
    unit_ = std::max<std::int64_t>({unit, coarse, 1});
    units_ = static_cast<int>(options.capacity_bytes / unit_);
    for (const RerunBlock& block : row.blocks) kind_.push_back(kind_of(block));
  }

  BlockBound bound() {
    BlockBound bound;
    for (KindOfBlock& kind : kinds_)
      if (!kind.block().tasks.empty()) begin(kind);
    while (true) {
      const std::int64_t least = solve();
      if (least >= never) return bound;  // no plan at all: for others to say
      bound.cost = std::min(std::max(bound.cost, least), options_.enough);
      if (bound.cost >= options_.enough) return bound;
      if (search_more()) continue;
      if (!is_over()) bound.ways = ways();
      return bound;
    }
  }

 private:
  int kind_of(const RerunBlock& block) {
    for (std::size_t k = 0; k < kinds_.size(); ++k)
      if (kinds_[k].block() == block) return static_cast<int>(k);
    kinds_.emplace_back(block, units_);
    return static_cast<int>(kinds_.size()) - 1;
  }
  const KindOfBlock& kind(std::size_t j) const { return kinds_[kind_[j]]; }

  // V, from the last block on; ties go to what keeps less. Then the way of the least sum.
  std::int64_t solve() {
    const std::size_t blocks = row_.blocks.size();
    std::vector<std::int64_t> after(units_ + 1, never);
    after[0] = 0;
    std::vector<std::vector<int>> kept(blocks, std::vector<int>(units_ + 1, 0));
    for (std::size_t j = blocks; j-- > 0;) {
      std::vector<std::int64_t> here(units_ + 1, never);
      for (int all = 0; all <= units_; ++all) {
        for (int a = 0; a <= all; ++a) {
          if (after[all - a] >= never) continue;
          const std::int64_t cost = kind(j).cost(a, all - a) + after[all - a];
          if (cost < here[all]) here[all] = cost, kept[j][all] = a;
        }
      }
      after = std::move(here);
    }
    const auto most = static_cast<int>(
        std::max<std::int64_t>(options_.capacity_bytes - row_.first_bytes, 0) / unit_);
    const auto least = std::min_element(after.begin(), after.begin() + std::min(most, units_) + 1);
    way_.clear();
    int left = static_cast<int>(least - after.begin());
    for (std::size_t j = 0; j < blocks; ++j) {
      way_.push_back({kept[j][left], left - kept[j][left]});
      left -= kept[j][left];
    }
    return *least;
  }

  // Of the blocks on the way what is not known yet; false if that is nothing.
  bool search_more() {
    bool is_more = false;
    for (std::size_t j = 0; j < way_.size(); ++j) {
      const auto [kept, held] = way_[j];
      if (kind(j).is_known(kept, held) || kind(j).block().tasks.empty() || is_over()) continue;
      search(kinds_[kind_[j]], kept, held);
      is_more = true;
    }
    return is_more;
  }
  bool is_over() const {
    return states_left_ <= 0 || (options_.interrupted != nullptr && options_.interrupted->load());
  }

  std::vector<Reruns> ways() const {
    std::vector<Reruns> all;
    for (std::size_t j = 0; j < way_.size(); ++j)
      all.push_back(least_reruns(row_.blocks[j], limits(way_[j].kept, way_[j].held)));
    return all;
  }
  RerunLimits limits(int kept, int held) const {
    RerunLimits limits;
    limits.kept_bytes = (kept + 1) * unit_ - 1;
    limits.held_bytes = held * unit_;
    limits.capacity_bytes = options_.capacity_bytes - limits.held_bytes;
    limits.is_alone = options_.is_alone;
    limits.enough = options_.enough;
    limits.most_states = std::min(states_left_, options_.most_states / share_of_search);
    limits.interrupted = options_.interrupted;
    return limits;
  }

  // With as much kept as there is at first, then with less than was made use of, down to `least`.
  void search(KindOfBlock& kind, int least, int held) {
    for (int kept = units_ - held; kept >= least && !is_over();) {
      if (kind.is_known(kept, held)) {
        --kept;
        continue;
      }
      const RerunLimits within = limits(kept, held);
      const Reruns found = least_reruns(kind.block(), within);
      states_left_ -= found.states + 1;
      kind.note(kept, held, std::min(found.cost, never));
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
      RerunLimits within = limits(kept, 0);
      within.capacity_bytes = INT64_MAX / 4;
      const Reruns found = least_reruns(kind.block(), within);
      states_left_ -= found.states + 1;
      kind.note(kept, 0, std::min(found.cost, never));
      if (!found.is_exact) return;
      kept = static_cast<int>(std::min<std::int64_t>(found.kept_bytes / unit_, kept)) - 1;
    }
  }

  struct Step {
    int kept = 0;
    int held = 0;
  };

  const BlockRow& row_;
  const BlockBoundOptions& options_;
  std::int64_t states_left_;
  std::int64_t unit_ = 1;
  int units_ = 0;
  std::vector<KindOfBlock> kinds_;
  std::vector<int> kind_;  // by block
  std::vector<Step> way_;  // by block
};

}  // namespace

BlockBound block_bound(const BlockRow& row, const BlockBoundOptions& options) {
  if (row.blocks.empty() || options.capacity_bytes <= 0) return {};
  return BlockSums(row, options).bound();
}

}  // namespace stint
