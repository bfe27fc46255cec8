// For every reversal C(i,l) of persistent_moves.hpp, the memory at which it becomes possible and
// from which nothing is recomputed. In between the table of costs has entries; below they are
// infinite, above zero. With one byte as the unit, these are the exact least and full memory of
// persistent schedules.
//
// Cost: O(n³) for the least, with small constants; O(n²) memory.
#pragma once

#include <cstddef>
#include <vector>

#include "planner/chains/persistent_moves.hpp"

namespace stint {

struct Range {
  std::int64_t least = 0;  // half-open: entries for least <= m < full; top + 1 if impossible
  std::int64_t full = 0;
};

class PersistentRanges {
 public:
  explicit PersistentRanges(const PersistentMoves& moves);

  const Range& of(int i, int l, int context) const { return ranges_[context][cell(i, l)]; }
  std::size_t entries() const;  // of a table

  // Cells of one l are neighbours, by i.
  static std::size_t cell(int i, int l) { return static_cast<std::size_t>(l) * (l + 1) / 2 + i; }
  std::size_t cells() const { return ranges_.front().size(); }

 private:
  Range range_of(const PersistentMoves& moves, int i, int l, int context) const;
  std::int64_t least_split(const PersistentMoves& moves, int i, int l, int context) const;
  void set_left(const PersistentMoves& moves, int i, int l);

  std::vector<std::vector<Range>> ranges_;        // by context and cell
  std::vector<std::vector<std::int64_t>> least_;  // the same; apart, because loops run over it
  std::vector<std::vector<std::int64_t>>
      left_;         // of the current i, by context and j: to finish i … j-1
  Advance advance_;  // of the current i
};

}  // namespace stint
