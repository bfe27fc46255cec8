#include "planner/chains/persistent_fill.hpp"

#include <algorithm>

#include "planner/chains/persistent_progress.hpp"
#include "planner/chains/persistent_splits.hpp"
#include "planner/parallel.hpp"

namespace stint {
namespace {

constexpr int most_rows_of_strip = 16;
constexpr int strip_bytes = 1 << 21;  // at most, on the left of its splits: the size of a cache

// Where m is in the block that begins at m0: 0 if before, at most one block further if beyond.
int from_block(std::int64_t m, int m0) {
  return static_cast<int>(std::clamp<std::int64_t>(m - m0, 0, 1 << 10));
}

// Splits that need the same memory to advance to: j in [first, last).
struct Reach {
  int first = 0;
  int last = 0;
  std::int64_t bytes = 0;
};

std::vector<Reach> reaches(int i, const std::vector<std::int64_t>& advance) {
  std::vector<Reach> all;
  for (int k = 0; k < static_cast<int>(advance.size()); ++k) {
    const int j = i + 1 + k;
    if (all.empty() || all.back().bytes != advance[k]) all.push_back({j, j, advance[k]});
    all.back().last = j + 1;
  }
  return all;
}

// The most that a hold frees: so much more memory than its own a reversal may look at.
std::int64_t most_freed(const PersistentMoves& moves) {
  std::int64_t most = 0;
  for (int i = 0; i < moves.stages(); ++i) {
    for (int context = 0; context < moves.contexts(); ++context) {
      for (const Hold& hold : moves.keep_holds(i, context)) most = std::max(most, -hold.units);
      for (const Hold& hold : moves.split_holds(i, context)) most = std::max(most, -hold.units);
    }
  }
  return std::min(most, moves.top());
}

template <class Cost>
class Filler {
 public:
  Filler(const PersistentMoves& moves, const PersistentRanges& ranges, PersistentTable<Cost>& table)
      : moves_(moves), ranges_(ranges), table_(table), freed_(most_freed(moves)) {}

  void fill(int threads) {
    const int rows = rows_of_strip();
    const int strips = (moves_.stages() + rows - 1) / rows;
    std::vector<Scratch> scratch(std::clamp(threads, 1, strips), Scratch(moves_, table_, rows));
    StripProgress progress(strips, table_.blocks());
    for_each_index(strips, threads, [&](int strip, int thread) {
      const SolvedAtTheEnd solved{progress, strip};
      solve_strip(strip, progress, scratch[thread]);
    });
  }

 private:
  using Table = PersistentTable<Cost>;
  using Block = typename Table::Block;
  static constexpr int block = Table::block;

  // A way to split i … l, for every l.
  struct Way {
    Hold hold;
    std::vector<Cost> cost;  // by j
    std::vector<Reach> reach;
  };
  // One i, and its values in one block.
  struct Row {
    int i = 0;
    std::vector<std::vector<Way>> ways;    // by context
    std::vector<Block> before;             // E(i,l-1) by context
    std::vector<std::vector<Block>> left;  // of splits, by context and j
    std::vector<std::vector<Cost>> left_bound;
  };
  // What a thread needs to solve a strip.
  struct Scratch {
    Scratch(const PersistentMoves& moves, const Table& table, int strip_rows);

    std::vector<Row> rows;
    SplitSearch<Cost> search;
  };

  int rows_of_strip() const;
  void solve_strip(int strip, StripProgress& progress, Scratch& scratch) const;
  void set_ways(Row& row) const;
  void solve_block(int l, int m0, Row& row, SplitSearch<Cost>& search) const;
  void keep(int i, int l, int context, int m0, Block& best) const;
  void split(const Row& row, int l, int context, int m0, SplitSearch<Cost>& search,
             Block& best) const;
  void set_left(int l, int context, int m0, const Block& values, Row& row) const;

  const PersistentMoves& moves_;
  const PersistentRanges& ranges_;
  PersistentTable<Cost>& table_;
  std::int64_t freed_ = 0;
};

template <class Cost>
Filler<Cost>::Scratch::Scratch(const PersistentMoves& moves, const Table& table, int strip_rows)
    : search(table, moves.stages()) {
  const int n = moves.stages();
  Row row;
  row.before.resize(moves.contexts());
  row.left.assign(moves.contexts(), std::vector<Block>(n + 1));
  row.left_bound.assign(moves.contexts(), std::vector<Cost>(n + 1));
  rows.assign(strip_rows, row);
}

// A block of one i may look at later blocks of those after it only where these are solved already,
// which they are not in a strip.
template <class Cost>
int Filler<Cost>::rows_of_strip() const {
  if (freed_ > 0) return 1;
  const std::size_t bytes = sizeof(Block) * moves_.contexts() * moves_.stages();
  return std::clamp(static_cast<int>(strip_bytes / bytes), 1, most_rows_of_strip);
}

template <class Cost>
void Filler<Cost>::solve_strip(int strip, StripProgress& progress, Scratch& scratch) const {
  const int n = moves_.stages();
  const int rows = static_cast<int>(scratch.rows.size());
  const int last = n - 1 - strip * rows;
  const int first = std::max(last - rows + 1, 0);
  for (int i = last; i >= first; --i) {
    scratch.rows[last - i].i = i;
    set_ways(scratch.rows[last - i]);
  }
  for (int b = 0; b < table_.blocks(); ++b) {
    const auto furthest = static_cast<int>(((b + 1) * std::int64_t{block} - 1 + freed_) / block);
    if (strip > 0) progress.wait_for(strip - 1, std::min(furthest + 1, table_.blocks()));
    for (int l = first; l < n; ++l) {
      for (int i = std::min(last, l); i >= first; --i) {
        solve_block(l, b * block, scratch.rows[last - i], scratch.search);
      }
    }
    progress.set(strip, b + 1);
  }
}

template <class Cost>
void Filler<Cost>::set_ways(Row& row) const {
  const int i = row.i;
  const Advance advance = advance_from(moves_.chain(), i);
  row.ways.assign(moves_.contexts(), {});
  for (int context = 0; context < moves_.contexts(); ++context) {
    for (const Hold& hold : moves_.split_holds(i, context)) {
      if (hold.units > moves_.top()) continue;
      Way& way = row.ways[context].emplace_back();
      way.hold = hold;
      way.cost.resize(moves_.stages());
      for (int j = i + 1; j < moves_.stages(); ++j) way.cost[j] = table_.split_cost(i, j, hold);
      way.reach = reaches(i, hold.input_away ? advance.away : advance.holding);
    }
  }
}

template <class Cost>
void Filler<Cost>::solve_block(int l, int m0, Row& row, SplitSearch<Cost>& search) const {
  const int i = row.i;
  for (int context = 0; context < moves_.contexts(); ++context) {
    const Range& range = ranges_.of(i, l, context);
    Block best;
    best.fill(Table::infinite);
    if (m0 + block > range.least && m0 < range.full && i < l) {
      keep(i, l, context, m0, best);
      split(row, l, context, m0, search, best);
    }
    if (range.full <= moves_.top()) {
      for (int e = from_block(range.full, m0); e < block; ++e) best[e] = 0;
    }
    table_.store(i, l, context, m0, best);
    set_left(l, context, m0, best, row);
  }
}

template <class Cost>
void Filler<Cost>::keep(int i, int l, int context, int m0, Block& best) const {
  const int first = from_block(moves_.to_keep(i, l), m0);
  for (const Hold& hold : moves_.keep_holds(i, context)) {
    Block room;
    const Cost* inside = table_.row(i + 1, l, hold.context, m0 - hold.units, room);
    const Cost cost = static_cast<Cost>(hold.cost);
    for (int e = first; e < block; ++e) best[e] = std::min(best[e], cost + inside[e]);
  }
}

template <class Cost>
void Filler<Cost>::split(const Row& row, int l, int context, int m0, SplitSearch<Cost>& search,
                         Block& best) const {
  for (const Way& way : row.ways[context]) {
    const std::int64_t end = std::min(m0 + block - 1 - way.hold.units, moves_.top());
    if (end < 0) continue;
    Splits<Cost> splits;
    splits.l = l;
    splits.lowest = from_block(ranges_.of(row.i, l, context).least, m0);
    splits.m_right = m0 - way.hold.units;
    splits.costs = way.cost.data();
    splits.right_bound = table_.bounds(l, end);
    splits.left_bound = row.left_bound[way.hold.context].data();
    splits.left = row.left[way.hold.context].data();
    for (const Reach& reach : way.reach) {
      splits.first_value = from_block(moves_.to_advance(reach.bytes, l), m0);
      if (splits.first_value >= block || reach.first > l) break;
      splits.first = reach.first;
      splits.last = std::min(reach.last, l + 1);
      search.lower(splits, best);
    }
  }
}

template <class Cost>
void Filler<Cost>::set_left(int l, int context, int m0, const Block& values, Row& row) const {
  const int i = row.i;
  const int j = l + 1;
  Block& left = row.left[context][j];
  left = values;
  if (moves_.goes_on(i, j)) {
    const Cost saved =
        static_cast<Cost>(moves_.recomputed(i, j) - moves_.recomputed_going_on(i, j));
    for (int e = from_block(moves_.to_go_on(i, j), m0); e < block; ++e) {
      left[e] = std::min(left[e], row.before[context][e] - saved);
    }
  }
  row.left_bound[context][j] = left[block - 1];
  row.before[context] = values;
}

}  // namespace

template <class Cost>
PersistentTable<Cost> fill_table(const PersistentMoves& moves, const PersistentRanges& ranges,
                                 int threads) {
  PersistentTable<Cost> table(moves, ranges);
  Filler<Cost>(moves, ranges, table).fill(threads);
  return table;
}

template PersistentTable<float> fill_table(const PersistentMoves&, const PersistentRanges&, int);
template PersistentTable<double> fill_table(const PersistentMoves&, const PersistentRanges&, int);

}  // namespace stint
