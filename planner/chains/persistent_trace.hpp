// From a table of persistent schedules to the operations of the best one: the choice at each
// reversal is found again by comparing, along the way only, so the table holds no decisions.
// O(n) comparisons for each split.
#pragma once

#include "planner/chains/persistent_table.hpp"

namespace stint {

// The reversal of the whole chain in all of the memory, without drops; it must be feasible.
template <class Cost>
ChainOperations trace(const PersistentMoves& moves, const PersistentTable<Cost>& table);

extern template ChainOperations trace(const PersistentMoves&, const PersistentTable<float>&);
extern template ChainOperations trace(const PersistentMoves&, const PersistentTable<double>&);

struct Reversal {
  bool feasible = false;
  double recomputed = 0;         // cost beyond one forward and one backward of every stage
  bool exact = false;            // costs were not rounded
  ChainOperations operations;    // without drops
  std::vector<double> by_units;  // the same cost for every memory up to all of it
};

// Fills a table, in double precision if its values fit in `double_bytes`, and traces it.
Reversal best_reversal(const PersistentMoves& moves, std::size_t double_bytes, int threads);

}  // namespace stint
