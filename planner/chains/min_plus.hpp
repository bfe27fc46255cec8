// The minimum that every recurrence for homogeneous chains takes, faster than trying all splits.
//
//   out(q) = min_{1<=j<=q} g(j) + f(q-j),  q = 1, 2, …
//
// f is known beforehand; g(q+1) may depend on out(q), so answers come one by one. Where f is
// convex, g(j) + f(q-j) satisfies the quadrangle inequality: of two splits j < j', once j' is
// better it stays better as q grows. So f is cut into its convex pieces; each long piece keeps the
// splits that will be best somewhere, in a queue (Galil and Giancarlo 1989), O(log n) a query;
// short pieces are tried in full, in loops that vectorise. Exact for every f, fast for those with
// few pieces: O(n log n) for each long piece, O(n) a query for all short ones together. Convex is
// meant up to rounding: with costs that are not integers the minimum is within 1e-12 of its value.
#pragma once

#include <cstdint>
#include <vector>

namespace stint {

class OnlineMinPlus {
 public:
  explicit OnlineMinPlus(std::vector<double> f);

  // Takes g(q), gives out(q): the first call is q = 1, and q is at most the size of f.
  double next(double g);

 private:
  struct Candidate {
    std::int64_t split = 0;  // j
    std::int64_t from = 0;   // the first q for which it is the best of its piece
  };
  struct ConvexPiece {  // f on [first, last]
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::vector<Candidate> candidates = {};
    std::size_t front = 0;
  };
  struct Range {  // f on [first, end)
    std::int64_t first = 0;
    std::int64_t end = 0;
  };

  [[nodiscard]] std::int64_t convex_until(std::int64_t first) const;
  void cut();
  void try_range(const Range& range, std::int64_t split);
  [[nodiscard]] double value(std::int64_t split, std::int64_t q) const;
  [[nodiscard]] std::int64_t overtakes(const ConvexPiece& piece, const Candidate& old,
                                       std::int64_t split) const;
  void add(ConvexPiece& piece, std::int64_t split) const;
  double best(ConvexPiece& piece, std::int64_t q) const;

  std::vector<double> f_;
  std::vector<double> g_;     // g_[j], j >= 1
  std::vector<double> best_;  // of the short pieces, by q
  std::vector<Range> ranges_;
  std::vector<ConvexPiece> pieces_;
};

// The smallest j in [1, q] with the least cost(j).
template <typename Cost>
std::int64_t best_split(std::int64_t q, const Cost& cost) {
  std::int64_t best = 1;
  double least = cost(1);
  for (std::int64_t j = 2; j <= q; ++j) {
    const double here = cost(j);
    if (here < least) {
      least = here;
      best = j;
    }
  }
  return best;
}

}  // namespace stint
