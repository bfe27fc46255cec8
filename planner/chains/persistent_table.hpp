// The table of recomputed cost: E(i,l,m) is the least cost beyond one forward and one backward of
// every stage with which stages i … l can be reversed in m units (persistent_moves.hpp).
//
//   E(i,i,m) = 0 if m suffices, else infinite
//   E(i,l,m) = min( keep:  cost(hold) + E(i+1, l, m - hold),
//                   split: recomputed(i,j) + cost(hold) + E(j, l, m - hold) + E(i, j-1, m), all j )
//
// which is the recurrence of Beaumont et al. (hal-02352969) without the costs that do not change.
// Only the useful range of m is stored, and no decisions: whoever needs them compares again.
//
// O(n³) per unit of memory in the worst case. Three things make it fast: values of neighbouring m
// are computed together; a split is looked at only where its bound, from the values at the ends of
// such blocks, is below what was found already (E falls with m); blocks of one i are independent,
// so threads share them and change nothing.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "planner/chains/persistent_ranges.hpp"

namespace stint {

// Cost is double, or float for half the space: exact for integers below 2^24, else rounded.
template <class Cost>
class PersistentTable {
 public:
  PersistentTable(const PersistentMoves& moves, const PersistentRanges& ranges, int threads);

  Cost at(int i, int l, int context, std::int64_t m) const;

  // What goes on the left of a split at j: i … j-1, or the way of PersistentMoves::goes_on.
  Cost left_of_split(int i, int j, int context, std::int64_t m) const;
  Cost split_cost(int i, int j, const Hold& hold) const;

 private:
  static constexpr int block = 32;
  using Block = std::array<Cost, block>;

  // The values of one i in one block, and room to find them.
  struct Scratch {
    std::vector<std::vector<Block>> values;  // by context and l
    std::vector<std::vector<Block>> left;    // by context and j
    std::vector<std::vector<Cost>> left_bound;
    std::vector<Cost> bounds;  // of splits, by j
    std::vector<Cost> least_bounds;
    std::vector<int> candidates;
  };
  // Splits at j in [first, last) for one block: what they are made of.
  struct Splits {
    int l = 0;
    int first = 0;
    int last = 0;
    int first_value = 0;       // of the block, with which forwards can get so far
    std::int64_t m_right = 0;  // where the block begins for the right side
    const Cost* costs = nullptr;
    const Cost* right_bound = nullptr;
    const Cost* left_bound = nullptr;
    const Block* left = nullptr;
  };
  struct Stage;  // what does not depend on m

  void solve_block(const Stage& stage, int l, int m0, Scratch& scratch);
  void keep(const Stage& stage, int l, int context, int m0, Block& best) const;
  void split(const Stage& stage, int l, int context, int m0, Scratch& scratch, Block& best) const;
  void best_of(const Splits& splits, int lowest, Scratch& scratch, Block& best) const;
  int bound(const Splits& splits, Scratch& scratch) const;
  void look_at(const Splits& splits, int j, Block& best) const;
  void prefetch(const Splits& splits, int j) const;
  void store(int i, int l, int context, int m0, const Block& values);
  void set_left(const Stage& stage, int l, int context, int m0, Scratch& scratch) const;
  const Cost* row(int i, int l, int context, std::int64_t m0, Block& room) const;
  std::size_t bound_at(int l, std::int64_t m) const;

  const PersistentMoves& moves_;
  const PersistentRanges& ranges_;
  int blocks_ = 0;
  Block nothing_{}, free_{};
  std::vector<std::vector<std::size_t>> begins_;  // by context and cell, in data_
  std::vector<Cost> data_;
  std::vector<Cost> bounds_;  // E(j,l,m) for the last m of every block; by l, block and j
};

extern template class PersistentTable<float>;
extern template class PersistentTable<double>;

}  // namespace stint
