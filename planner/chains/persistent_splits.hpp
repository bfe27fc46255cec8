// The best of many splits for a block of memories: the inner loop of persistent_fill.hpp.
//
// Values fall with m, so what a split costs at the end of the block bounds it from below in all of
// it, and what was found at the block's lowest m is the most that is worth looking for. Splits
// whose bound is not below that are skipped without reading their values. O(splits) for the bounds,
// and one block of values for each split that is looked at.
#pragma once

#include <vector>

#include "planner/chains/persistent_table.hpp"

namespace stint {

// Splits of i … l at j in [first, last) for one block: what they are made of, by j.
template <class Cost>
struct Splits {
  int l = 0;
  int first = 0;
  int last = 0;
  int lowest = 0;            // value of the block that is finite
  int first_value = 0;       // of the block, with which forwards can get so far
  std::int64_t m_right = 0;  // where the block begins for the right side
  const Cost* costs = nullptr;
  const Cost* right_bound = nullptr;
  const Cost* left_bound = nullptr;
  const typename PersistentTable<Cost>::Block* left = nullptr;
};

template <class Cost>
class SplitSearch {
 public:
  using Block = typename PersistentTable<Cost>::Block;
  static constexpr int block = PersistentTable<Cost>::block;

  SplitSearch(const PersistentTable<Cost>& table, int stages);

  // Lowers the values of `best` to those of the splits, where these are less.
  void lower(const Splits<Cost>& splits, Block& best);

 private:
  int bound(const Splits<Cost>& splits);
  void look_at(const Splits<Cost>& splits, int j, Block& best) const;
  void prefetch(const Splits<Cost>& splits, int j) const;

  const PersistentTable<Cost>* table_;
  std::vector<Cost> bounds_;        // by j
  std::vector<Cost> least_bounds_;  // of chunks of neighbouring j
  std::vector<int> candidates_;
};

extern template class SplitSearch<float>;
extern template class SplitSearch<double>;

}  // namespace stint
