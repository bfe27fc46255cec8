#include "planner/chains/min_plus.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stint {

namespace {

// Below this length, trying a piece in full is faster than a queue.
constexpr std::int64_t long_piece = 48;
constexpr double min_plus_rounding = 1e-12;

}  // namespace

OnlineMinPlus::OnlineMinPlus(std::vector<double> f)
    : f_(std::move(f)), g_(1, 0), best_(f_.size() + 1, std::numeric_limits<double>::infinity()) {
  g_.reserve(f_.size() + 1);
  cut();
}

// The last index of the convex piece that begins at a finite f(first).
std::int64_t OnlineMinPlus::convex_until(std::int64_t first) const {
  const auto size = static_cast<std::int64_t>(f_.size());
  std::int64_t last = first;
  while (last + 1 < size && std::isfinite(f_[last + 1])) {
    const double bend = last == first ? 0 : f_[last + 1] - 2 * f_[last] + f_[last - 1];
    if (bend < -min_plus_rounding * std::abs(f_[last + 1])) break;
    ++last;
  }
  return last;
}

void OnlineMinPlus::cut() {
  const auto size = static_cast<std::int64_t>(f_.size());
  for (std::int64_t first = 0; first < size;) {
    const std::int64_t last = std::isfinite(f_[first]) ? convex_until(first) : first;
    if (last - first + 1 >= long_piece) {
      pieces_.push_back({first, last});
    } else if (std::isfinite(f_[first])) {
      if (!ranges_.empty() && ranges_.back().end == first) {
        ranges_.back().end = last + 1;
      } else {
        ranges_.push_back({first, last + 1});
      }
    }
    first = last + 1;
  }
}

double OnlineMinPlus::next(double g) {
  const auto q = static_cast<std::int64_t>(g_.size());
  g_.push_back(g);
  for (const Range& range : ranges_) try_range(range, q);
  double least = best_[q];
  for (ConvexPiece& piece : pieces_) {
    add(piece, q);
    least = std::min(least, best(piece, q));
  }
  return least;
}

void OnlineMinPlus::try_range(const Range& range, std::int64_t split) {
  const auto limit = static_cast<std::int64_t>(f_.size()) + 1 - split;
  const std::int64_t end = std::min(range.end, limit);
  const double g = g_[split];
  const double* f = f_.data();
  double* best = best_.data() + split;
  for (std::int64_t i = range.first; i < end; ++i) {
    const double here = g + f[i];
    best[i] = here < best[i] ? here : best[i];
  }
}

double OnlineMinPlus::value(std::int64_t split, std::int64_t q) const {
  return g_[split] + f_[q - split];
}

// The first q from which the new split is better than the old candidate of the piece.
std::int64_t OnlineMinPlus::overtakes(const ConvexPiece& piece, const Candidate& old,
                                      std::int64_t split) const {
  std::int64_t low = std::max(old.from, split + piece.first);
  std::int64_t high = std::min<std::int64_t>(f_.size(), piece.last + old.split) + 1;
  if (low >= high || value(split, low) < value(old.split, low)) return low;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (value(split, middle) < value(old.split, middle) ? high : low) = middle;
  }
  return high;
}

void OnlineMinPlus::add(ConvexPiece& piece, std::int64_t split) const {
  auto& candidates = piece.candidates;
  std::int64_t from = split + piece.first;
  while (candidates.size() > piece.front) {
    from = overtakes(piece, candidates.back(), split);
    if (from > candidates.back().from) break;
    candidates.pop_back();
  }
  from = std::max(from, split + piece.first);
  if (from <= static_cast<std::int64_t>(f_.size())) candidates.push_back({split, from});
}

double OnlineMinPlus::best(ConvexPiece& piece, std::int64_t q) const {
  const auto& candidates = piece.candidates;
  while (piece.front + 1 < candidates.size() && candidates[piece.front + 1].from <= q) {
    ++piece.front;
  }
  if (piece.front >= candidates.size()) return std::numeric_limits<double>::infinity();
  const Candidate& here = candidates[piece.front];
  if (here.from > q || q - here.split > piece.last) return std::numeric_limits<double>::infinity();
  return value(here.split, q);
}

}  // namespace stint
