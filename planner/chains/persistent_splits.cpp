#include "planner/chains/persistent_splits.hpp"

#include <algorithm>

namespace stint {
namespace {

constexpr int bounds_at_once = 32;  // bounds are skipped by so many

}  // namespace

template <class Cost>
SplitSearch<Cost>::SplitSearch(const PersistentTable<Cost>& table, int stages)
    : table_(&table), bounds_(stages + 1), least_bounds_(stages / bounds_at_once + 2) {
  candidates_.reserve(stages);
}

// Bounds all splits, takes the one with the least bound, then those that could still be better for
// some m.
template <class Cost>
void SplitSearch<Cost>::lower(const Splits<Cost>& splits, Block& best) {
  const int likely = bound(splits);
  if (likely < 0) return;
  look_at(splits, likely, best);
  candidates_.clear();
  for (int from = splits.first, k = 0; from < splits.last; from += bounds_at_once, ++k) {
    if (!(least_bounds_[k] < best[splits.lowest])) continue;
    for (int j = from; j < std::min(from + bounds_at_once, splits.last); ++j) {
      if (bounds_[j] < best[splits.lowest]) candidates_.push_back(j);
    }
  }
  const int count = static_cast<int>(candidates_.size());
  constexpr int ahead = 6;  // rows lie far apart: ask for them early
  for (int k = 0; k < std::min(ahead, count); ++k) prefetch(splits, candidates_[k]);
  for (int k = 0; k < count; ++k) {
    if (k + ahead < count) prefetch(splits, candidates_[k + ahead]);
    const int j = candidates_[k];
    if (bounds_[j] < best[splits.lowest]) look_at(splits, j, best);
  }
}

// Gives the split with the least bound; -1 if all are infinite.
template <class Cost>
int SplitSearch<Cost>::bound(const Splits<Cost>& splits) {
  constexpr Cost infinite = PersistentTable<Cost>::infinite;
  int likely = -1;
  Cost least = infinite;
  Cost* bounds = bounds_.data();
  for (int from = splits.first, k = 0; from < splits.last; from += bounds_at_once, ++k) {
    const int to = std::min(from + bounds_at_once, splits.last);
    Cost here = infinite;
    for (int j = from; j < to; ++j) {
      bounds[j] = splits.costs[j] + splits.right_bound[j] + splits.left_bound[j];
      here = std::min(here, bounds[j]);
    }
    least_bounds_[k] = here;
    if (!(here < least)) continue;
    least = here;
    likely = static_cast<int>(std::find(bounds + from, bounds + to, here) - bounds);
  }
  return likely;
}

template <class Cost>
void SplitSearch<Cost>::look_at(const Splits<Cost>& splits, int j, Block& best) const {
  Block room;
  const Cost* right = table_->row(j, splits.l, plain_value, splits.m_right, room);
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
void SplitSearch<Cost>::prefetch(const Splits<Cost>& splits, int j) const {
  table_->prefetch_row(j, splits.l, plain_value, splits.m_right);
  __builtin_prefetch(splits.left[j].data());
  __builtin_prefetch(&splits.left[j].back());
}

template class SplitSearch<float>;
template class SplitSearch<double>;

}  // namespace stint
