#include "planner/chains/persistent_table.hpp"

#include <algorithm>

namespace stint {

template <class Cost>
PersistentTable<Cost>::PersistentTable(const PersistentMoves& moves, const PersistentRanges& ranges)
    : moves_(moves), ranges_(ranges), blocks_(static_cast<int>(moves.top() / block) + 1) {
  lay_out();
  pad();
  nothing_.fill(infinite);
  free_.fill(0);
  bounds_.resize(bound_at(moves.stages(), 0));
}

template <class Cost>
void PersistentTable<Cost>::lay_out() {
  std::size_t next = 0;
  for (int context = 0; context < moves_.contexts(); ++context) {
    auto& begins = begins_.emplace_back(ranges_.cells());
    for (int l = 0; l < moves_.stages(); ++l) {
      for (int i = 0; i <= l; ++i) {
        const Range& range = ranges_.of(i, l, context);
        begins[PersistentRanges::cell(i, l)] = next + block;
        if (range.full > range.least) next += 2 * block + (range.full - range.least);
      }
    }
  }
  data_.resize(next);
}

template <class Cost>
void PersistentTable<Cost>::pad() {
  for (int context = 0; context < moves_.contexts(); ++context) {
    for (int l = 0; l < moves_.stages(); ++l) {
      for (int i = 0; i <= l; ++i) {
        const Range& range = ranges_.of(i, l, context);
        if (range.full == range.least) continue;
        Cost* first = data_.data() + begins_[context][PersistentRanges::cell(i, l)];
        std::fill(first - block, first, infinite);
      }
    }
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
  if (m < range.least) return infinite;
  if (range.full <= moves_.top() && m >= range.full) return 0;
  const auto within = std::min<std::int64_t>(m, moves_.top());
  if (within < range.least) return infinite;
  return data_[begins_[context][PersistentRanges::cell(i, l)] + (within - range.least)];
}

template <class Cost>
Cost PersistentTable<Cost>::left_of_split(int i, int j, int context, std::int64_t m) const {
  const Cost left = at(i, j - 1, context, m);
  if (!moves_.goes_on(i, j) || m < moves_.to_go_on(i, j)) return left;
  const double saved = moves_.recomputed(i, j) - moves_.recomputed_going_on(i, j);
  return std::min(left, at(i, j - 2, context, m) - static_cast<Cost>(saved));
}

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
void PersistentTable<Cost>::prefetch_row(int i, int l, int context, std::int64_t m0) const {
  const Range& range = ranges_.of(i, l, context);
  if (m0 < range.least || m0 >= range.full) return;
  const Cost* first =
      data_.data() + begins_[context][PersistentRanges::cell(i, l)] + (m0 - range.least);
  __builtin_prefetch(first);
  __builtin_prefetch(first + block - 1);
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

template class PersistentTable<float>;
template class PersistentTable<double>;

}  // namespace stint
