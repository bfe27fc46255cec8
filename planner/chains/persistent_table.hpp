// Where the costs of persistent schedules lie: E(i,l,m) is the least cost beyond one forward and
// one backward of every stage with which stages i … l can be reversed in m units
// (persistent_moves.hpp). persistent_fill.hpp finds the values.
//
// Only the useful range of m is stored (persistent_ranges.hpp), and no decisions: whoever needs
// them compares again. Memory: one value for each entry, and for each cell the padding that lets
// blocks of values be read across the ends of its range.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "planner/chains/persistent_ranges.hpp"

namespace stint {

// Cost is double, or float for half the space: exact for integers below 2^24, else rounded.
template <class Cost>
class PersistentTable {
 public:
  static constexpr int block = 32;  // values of neighbouring m that are computed together
  static constexpr Cost infinite = std::numeric_limits<Cost>::infinity();
  using Block = std::array<Cost, block>;

  PersistentTable(const PersistentMoves& moves, const PersistentRanges& ranges);

  Cost at(int i, int l, int context, std::int64_t m) const;

  // What goes on the left of a split at j: i … j-1, or the way of PersistentMoves::goes_on.
  Cost left_of_split(int i, int j, int context, std::int64_t m) const;
  Cost split_cost(int i, int j, const Hold& hold) const;

  // Values from m0 on: where they lie if they are all stored, else put together in `room`.
  const Cost* row(int i, int l, int context, std::int64_t m0, Block& room) const;
  void prefetch_row(int i, int l, int context, std::int64_t m0) const;

  // By i: at most E(i,l,m) in plain_value, being that of the last m of the same block.
  const Cost* bounds(int l, std::int64_t m) const { return bounds_.data() + bound_at(l, m); }

  int blocks() const { return blocks_; }
  void store(int i, int l, int context, int m0, const Block& values);

 private:
  void lay_out();
  void pad();
  std::size_t bound_at(int l, std::int64_t m) const;

  const PersistentMoves& moves_;
  const PersistentRanges& ranges_;
  int blocks_ = 0;
  Block nothing_{}, free_{};
  std::vector<std::vector<std::size_t>> begins_;  // by context and cell, in data_
  std::vector<Cost> data_;
  std::vector<Cost> bounds_;  // by l, block and i
};

extern template class PersistentTable<float>;
extern template class PersistentTable<double>;

}  // namespace stint
