#include "planner/chains/persistent_ranges.hpp"

#include <algorithm>

namespace stint {

PersistentRanges::PersistentRanges(const PersistentMoves& moves) {
  const int n = moves.stages();
  ranges_.assign(moves.contexts(), std::vector<Range>(cell(0, n)));
  least_.assign(moves.contexts(), std::vector<std::int64_t>(cell(0, n)));
  left_.assign(moves.contexts(), std::vector<std::int64_t>(n + 1));
  for (int i = n - 1; i >= 0; --i) {
    advance_ = advance_from(moves.chain(), i);
    for (int l = i; l < n; ++l) {
      for (int context = 0; context < moves.contexts(); ++context) {
        const Range range = range_of(moves, i, l, context);
        ranges_[context][cell(i, l)] = range;
        least_[context][cell(i, l)] = range.least;
      }
      set_left(moves, i, l);
    }
  }
}

std::size_t PersistentRanges::entries() const {
  std::size_t sum = 0;
  for (const auto& ranges : ranges_) {
    for (const Range& range : ranges) sum += static_cast<std::size_t>(range.full - range.least);
  }
  return sum;
}

Range PersistentRanges::range_of(const PersistentMoves& moves, int i, int l, int context) const {
  const std::int64_t never = moves.top() + 1;
  if (i == l) return {moves.to_reverse_one(i), moves.to_reverse_one(i)};
  const std::int64_t to_keep = moves.to_keep(i, l);
  std::int64_t least = least_split(moves, i, l, context);
  std::int64_t full = never;
  for (const Hold& hold : moves.keep_holds(i, context)) {
    const Range& inside = of(i + 1, l, hold.context);
    if (inside.least == never) continue;
    const auto units = [&](std::int64_t m) { return std::clamp(m + hold.units, to_keep, never); };
    least = std::min(least, units(inside.least));
    if (hold.cost == 0 && inside.full < never) full = std::min(full, units(inside.full));
  }
  return {least, std::max(least, full)};
}

std::int64_t PersistentRanges::least_split(const PersistentMoves& moves, int i, int l,
                                           int context) const {
  const std::int64_t never = moves.top() + 1;
  std::int64_t best = never;
  const std::int64_t* right = least_[plain_value].data() + cell(0, l);
  for (const Hold& hold : moves.split_holds(i, context)) {
    if (hold.units >= never) continue;
    const auto& advance = hold.input_away ? advance_.away : advance_.holding;
    const std::int64_t* left = left_[hold.context].data();
    for (int first = i + 1; first <= l;) {
      const std::int64_t bytes = advance[first - i - 1];
      int last = first;
      std::int64_t least = never;
      for (; last <= l && advance[last - i - 1] == bytes; ++last) {
        const std::int64_t whole = right[last] == never ? never : right[last] + hold.units;
        least = std::min(least, std::max(whole, left[last]));
      }
      best = std::min(best, std::max(least, moves.to_advance(bytes, l)));
      first = last;
    }
  }
  return best;
}

void PersistentRanges::set_left(const PersistentMoves& moves, int i, int l) {
  const int j = l + 1;
  for (int context = 0; context < moves.contexts(); ++context) {
    std::int64_t& left = left_[context][j];
    left = of(i, l, context).least;
    if (moves.goes_on(i, j)) {
      left = std::min(left, std::max(moves.to_go_on(i, j), of(i, l - 1, context).least));
    }
  }
}

}  // namespace stint
