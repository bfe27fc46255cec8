#include "planner/chains/persistent_table.hpp"

#include <algorithm>
#include <limits>

#include "planner/parallel.hpp"

namespace stint {
namespace {

template <class Cost>
constexpr Cost infinite = std::numeric_limits<Cost>::infinity();

constexpr int chunk = 32;  // bounds are skipped by so many

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

}  // namespace

template <class Cost>
struct PersistentTable<Cost>::Stage {
  struct Split {
    Hold hold;
    std::vector<Cost> cost;  // by j
    const std::vector<Reach>* reach;
  };

  Stage(const PersistentTable& table, int stage) : i(stage) {
    const PersistentMoves& moves = table.moves_;
    const Advance advance = advance_from(moves.chain(), i);
    holding = reaches(i, advance.holding);
    away = reaches(i, advance.away);
    for (int context = 0; context < moves.contexts(); ++context) {
      auto& of_context = splits.emplace_back();
      for (const Hold& hold : moves.split_holds(i, context)) {
        if (hold.units > moves.top()) continue;
        auto& split = of_context.emplace_back();
        split.hold = hold;
        split.cost.resize(moves.stages());
        for (int j = i + 1; j < moves.stages(); ++j) split.cost[j] = table.split_cost(i, j, hold);
        split.reach = hold.input_away ? &away : &holding;
      }
    }
  }

  int i = 0;
  std::vector<Reach> holding, away;
  std::vector<std::vector<Split>> splits;  // by context
};

template <class Cost>
PersistentTable<Cost>::PersistentTable(const PersistentMoves& moves, const PersistentRanges& ranges,
                                       int threads)
    : moves_(moves), ranges_(ranges), blocks_(static_cast<int>(moves.top() / block) + 1) {
  const int n = moves.stages();
  std::size_t next = 0;
  for (int context = 0; context < moves.contexts(); ++context) {
    auto& begins = begins_.emplace_back(ranges.cells());
    for (int l = 0; l < n; ++l) {
      for (int i = 0; i <= l; ++i) {
        const Range& range = ranges.of(i, l, context);
        begins[PersistentRanges::cell(i, l)] = next + block;
        if (range.full > range.least) next += 2 * block + (range.full - range.least);
      }
    }
  }
  data_.resize(next);
  for (int context = 0; context < moves.contexts(); ++context) {
    for (int l = 0; l < n; ++l) {
      for (int i = 0; i <= l; ++i) {
        const Range& range = ranges.of(i, l, context);
        if (range.full == range.least) continue;
        Cost* first = data_.data() + begins_[context][PersistentRanges::cell(i, l)];
        std::fill(first - block, first, infinite<Cost>);
      }
    }
  }
  nothing_.fill(infinite<Cost>);
  free_.fill(0);
  bounds_.resize(bound_at(n, 0));
  Scratch empty;
  empty.values.assign(moves.contexts(), std::vector<Block>(n));
  empty.left.assign(moves.contexts(), std::vector<Block>(n + 1));
  empty.left_bound.assign(moves.contexts(), std::vector<Cost>(n + 1));
  empty.bounds.resize(n + 1);
  empty.least_bounds.resize(n / chunk + 2);
  empty.candidates.reserve(n);
  std::vector<Scratch> scratch(blocks_, empty);
  for (int i = n - 1; i >= 0; --i) {
    const Stage stage(*this, i);
    const int parts = std::max(threads, 1);
    for_each_index(parts, parts, [&](int part, int) {
      for (int l = i; l < n; ++l) {
        for (int b = part; b < blocks_; b += parts) solve_block(stage, l, b * block, scratch[b]);
      }
    });
  }
}

template <class Cost>
Cost PersistentTable<Cost>::split_cost(int i, int j, const Hold& hold) const {
  return static_cast<Cost>(moves_.recomputed(i, j) + hold.cost);
}

template <class Cost>
std::size_t PersistentTable<Cost>::bound_at(int l, std::int64_t m) const {
  const std::size_t before = PersistentRanges::cell(0, l) * blocks_;
  return before + static_cast<std::size_t>(m / block) * (l + 1);
}

template <class Cost>
Cost PersistentTable<Cost>::at(int i, int l, int context, std::int64_t m) const {
  const Range& range = ranges_.of(i, l, context);
  if (m < range.least) return infinite<Cost>;
  if (range.full <= moves_.top() && m >= range.full) return 0;
  const auto within = std::min<std::int64_t>(m, moves_.top());
  if (within < range.least) return infinite<Cost>;
  return data_[begins_[context][PersistentRanges::cell(i, l)] + (within - range.least)];
}

template <class Cost>
Cost PersistentTable<Cost>::left_of_split(int i, int j, int context, std::int64_t m) const {
  const Cost left = at(i, j - 1, context, m);
  if (!moves_.goes_on(i, j) || m < moves_.to_go_on(i, j)) return left;
  const double saved = moves_.recomputed(i, j) - moves_.recomputed_going_on(i, j);
  return std::min(left, at(i, j - 2, context, m) - static_cast<Cost>(saved));
}

// Values from m0 on: where they lie if they are all stored, else put together in `room`.
template <class Cost>
const Cost* PersistentTable<Cost>::row(int i, int l, int context, std::int64_t m0,
                                       Block& room) const {
  const Range& range = ranges_.of(i, l, context);
  const bool saturates = range.full <= moves_.top();
  if (m0 + block <= range.least) return nothing_.data();
  if (saturates && m0 >= range.full) return free_.data();
  if (range.full > range.least && m0 + block <= range.full + (saturates ? block : 0)) {
    return data_.data() + begins_[context][PersistentRanges::cell(i, l)] + (m0 - range.least);
  }
  for (int e = 0; e < block; ++e) room[e] = at(i, l, context, m0 + e);
  return room.data();
}

template <class Cost>
void PersistentTable<Cost>::solve_block(const Stage& stage, int l, int m0, Scratch& scratch) {
  const int i = stage.i;
  {
    for (int context = 0; context < moves_.contexts(); ++context) {
      const Range& range = ranges_.of(i, l, context);
      Block best;
      best.fill(infinite<Cost>);
      if (m0 + block > range.least && m0 < range.full && i < l) {
        keep(stage, l, context, m0, best);
        split(stage, l, context, m0, scratch, best);
      }
      if (range.full <= moves_.top()) {
        for (int e = from_block(range.full, m0); e < block; ++e) best[e] = 0;
      }
      scratch.values[context][l] = best;
      store(i, l, context, m0, best);
      set_left(stage, l, context, m0, scratch);
    }
  }
}

template <class Cost>
void PersistentTable<Cost>::store(int i, int l, int context, int m0, const Block& values) {
  const Range& range = ranges_.of(i, l, context);
  const std::int64_t first = std::max<std::int64_t>(m0, range.least);
  const std::int64_t last = std::min<std::int64_t>(m0 + block, range.full);
  if (first < last) {
    std::copy(
        values.begin() + (first - m0), values.begin() + (last - m0),
        data_.begin() + begins_[context][PersistentRanges::cell(i, l)] + (first - range.least));
  }
  if (context == plain_value) bounds_[bound_at(l, m0) + i] = values[block - 1];
}

template <class Cost>
void PersistentTable<Cost>::keep(const Stage& stage, int l, int context, int m0,
                                 Block& best) const {
  const int first = from_block(moves_.to_keep(stage.i, l), m0);
  for (const Hold& hold : moves_.keep_holds(stage.i, context)) {
    Block room;
    const Cost* inside = row(stage.i + 1, l, hold.context, m0 - hold.units, room);
    const Cost cost = static_cast<Cost>(hold.cost);
    for (int e = first; e < block; ++e) best[e] = std::min(best[e], cost + inside[e]);
  }
}

template <class Cost>
void PersistentTable<Cost>::split(const Stage& stage, int l, int context, int m0, Scratch& scratch,
                                  Block& best) const {
  const int lowest = from_block(ranges_.of(stage.i, l, context).least, m0);
  for (const auto& way : stage.splits[context]) {
    const std::int64_t end = std::min(m0 + block - 1 - way.hold.units, moves_.top());
    if (end < 0) continue;
    Splits splits;
    splits.l = l;
    splits.m_right = m0 - way.hold.units;
    splits.costs = way.cost.data();
    splits.right_bound = bounds_.data() + bound_at(l, end);
    splits.left_bound = scratch.left_bound[way.hold.context].data();
    splits.left = scratch.left[way.hold.context].data();
    for (const Reach& reach : *way.reach) {
      splits.first_value = from_block(moves_.to_advance(reach.bytes, l), m0);
      if (splits.first_value >= block || reach.first > l) break;
      splits.first = reach.first;
      splits.last = std::min(reach.last, l + 1);
      best_of(splits, lowest, scratch, best);
    }
  }
}

// Bounds all splits, takes the one with the least bound, then those that could still be better for
// some m. Values fall with m, so that is decided at the ends of the block.
template <class Cost>
void PersistentTable<Cost>::best_of(const Splits& splits, int lowest, Scratch& scratch,
                                    Block& best) const {
  const int likely = bound(splits, scratch);
  if (likely < 0) return;
  look_at(splits, likely, best);
  scratch.candidates.clear();
  for (int from = splits.first, k = 0; from < splits.last; from += chunk, ++k) {
    if (!(scratch.least_bounds[k] < best[lowest])) continue;
    for (int j = from; j < std::min(from + chunk, splits.last); ++j) {
      if (scratch.bounds[j] < best[lowest]) scratch.candidates.push_back(j);
    }
  }
  const int count = static_cast<int>(scratch.candidates.size());
  constexpr int ahead = 6;  // rows lie far apart: ask for them early
  for (int k = 0; k < std::min(ahead, count); ++k) prefetch(splits, scratch.candidates[k]);
  for (int k = 0; k < count; ++k) {
    if (k + ahead < count) prefetch(splits, scratch.candidates[k + ahead]);
    const int j = scratch.candidates[k];
    if (scratch.bounds[j] < best[lowest]) look_at(splits, j, best);
  }
}

// Gives the split with the least bound; -1 if all are infinite.
template <class Cost>
int PersistentTable<Cost>::bound(const Splits& splits, Scratch& scratch) const {
  int likely = -1;
  Cost least = infinite<Cost>;
  Cost* bounds = scratch.bounds.data();
  for (int from = splits.first, k = 0; from < splits.last; from += chunk, ++k) {
    const int to = std::min(from + chunk, splits.last);
    Cost here = infinite<Cost>;
    for (int j = from; j < to; ++j) {
      bounds[j] = splits.costs[j] + splits.right_bound[j] + splits.left_bound[j];
      here = std::min(here, bounds[j]);
    }
    scratch.least_bounds[k] = here;
    if (!(here < least)) continue;
    least = here;
    likely = static_cast<int>(std::find(bounds + from, bounds + to, here) - bounds);
  }
  return likely;
}

template <class Cost>
void PersistentTable<Cost>::look_at(const Splits& splits, int j, Block& best) const {
  Block room;
  const Cost* right = row(j, splits.l, plain_value, splits.m_right, room);
  const Block& left = splits.left[j];
  const Cost cost = splits.costs[j];
  if (splits.first_value == 0) {  // of fixed length: a few vector instructions
    for (int e = 0; e < block; ++e) best[e] = std::min(best[e], cost + right[e] + left[e]);
    return;
  }
  for (int e = splits.first_value; e < block; ++e) {
    best[e] = std::min(best[e], cost + right[e] + left[e]);
  }
}

template <class Cost>
void PersistentTable<Cost>::prefetch(const Splits& splits, int j) const {
  const Range& range = ranges_.of(j, splits.l, plain_value);
  if (splits.m_right < range.least || splits.m_right >= range.full) return;
  const Cost* right = data_.data() + begins_[plain_value][PersistentRanges::cell(j, splits.l)] +
                      (splits.m_right - range.least);
  __builtin_prefetch(right);
  __builtin_prefetch(right + block - 1);
  __builtin_prefetch(splits.left[j].data());
  __builtin_prefetch(splits.left[j].data() + block - 1);
}

template <class Cost>
void PersistentTable<Cost>::set_left(const Stage& stage, int l, int context, int m0,
                                     Scratch& scratch) const {
  const int i = stage.i;
  const int j = l + 1;
  Block left = scratch.values[context][l];
  if (moves_.goes_on(i, j)) {
    const Cost saved =
        static_cast<Cost>(moves_.recomputed(i, j) - moves_.recomputed_going_on(i, j));
    const Block& before = scratch.values[context][l - 1];
    for (int e = from_block(moves_.to_go_on(i, j), m0); e < block; ++e) {
      left[e] = std::min(left[e], before[e] - saved);
    }
  }
  scratch.left[context][j] = left;
  scratch.left_bound[context][j] = left[block - 1];
}

template class PersistentTable<float>;
template class PersistentTable<double>;

}  // namespace stint
