#include "planner/grains/runs.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace stint {
namespace {

// The largest node that begins at a leaf and ends within the run. The last node of a level may have
// fewer leaves than others of it, so what is left of all leaves may be one.
std::int64_t largest_node(std::int64_t begin, std::int64_t end, std::int64_t leaves) {
  const auto left = static_cast<std::uint64_t>(end - begin);
  const auto widest = begin == 0
                          ? std::bit_ceil(left)
                          : std::uint64_t{1} << std::countr_zero(static_cast<std::uint64_t>(begin));
  if (end == leaves && widest >= left) return end - begin;
  return static_cast<std::int64_t>(std::min(widest, std::bit_floor(left)));
}

}  // namespace

std::vector<std::int64_t> run_pieces(const std::vector<std::int64_t>& shares) {
  const std::int64_t leaves = std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
  std::vector<std::int64_t> pieces;
  std::int64_t begin = 0;
  for (const std::int64_t share : shares) {
    const std::int64_t end = begin + share;
    while (begin < end) {
      pieces.push_back(largest_node(begin, end, leaves));
      begin += pieces.back();
    }
  }
  return pieces;
}

}  // namespace stint
