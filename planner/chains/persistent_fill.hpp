// Fills the table of recomputed cost (persistent_table.hpp) with
//
//   E(i,i,m) = 0 if m suffices, else infinite
//   E(i,l,m) = min( keep:  cost(hold) + E(i+1, l, m - hold),
//                   split: recomputed(i,j) + cost(hold) + E(j, l, m - hold) + E(i, j-1, m), all j )
//
// which is the recurrence of Beaumont et al. (hal-02352969) without the costs that do not change.
//
// O(n³) per unit of memory in the worst case. Four things make it fast. Values of neighbouring m,
// a block, are computed together. A split is looked at only where its bound, from the values at the
// ends of blocks, is below what was found already (E falls with m). Several i, a strip, are solved
// together, block after block: then what is on the left of their splits stays in the cache, and
// what is on the right is brought there once for all of them; without that, time goes to waiting
// for memory. Threads work on strips of their own, each a block or more behind the strip before it,
// and change nothing.
#pragma once

#include "planner/chains/persistent_table.hpp"

namespace stint {

template <class Cost>
PersistentTable<Cost> fill_table(const PersistentMoves& moves, const PersistentRanges& ranges,
                                 int threads);

extern template PersistentTable<float> fill_table(const PersistentMoves&, const PersistentRanges&,
                                                  int);
extern template PersistentTable<double> fill_table(const PersistentMoves&, const PersistentRanges&,
                                                   int);

}  // namespace stint
