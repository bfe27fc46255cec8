#include "planner/pipelines/stage_blocks.hpp"

#include <algorithm>
#include <numeric>

#include "planner/infinity.hpp"

namespace stint {
namespace {

// rest[b][i]: the least largest cost of blocks b, b+1, … on the items from i on.
using Rest = std::vector<std::vector<double>>;

Rest rest_of(int items, int blocks, const BlockCost& cost) {
  Rest rest(blocks + 1, std::vector<double>(items + 1, infinity));
  rest[blocks][items] = 0;
  for (int b = blocks - 1; b >= 0; --b) {
    for (int i = b; i < items; ++i) {
      for (int end = i + 1; end <= items; ++end) {
        if (rest[b + 1][end] < rest[b][i])
          rest[b][i] = std::min(rest[b][i], std::max(rest[b + 1][end], cost(b, i, end)));
      }
    }
  }
  return rest;
}

// The first of the largest and the last of it: ties of the largest go to the last block, of the
// smallest to the first.
struct Extremes {
  int largest = 0;
  int smallest = 0;
};
Extremes extremes(const std::vector<std::int64_t>& sizes) {
  Extremes found;
  for (int b = 1; b < static_cast<int>(sizes.size()); ++b) {
    if (sizes[b] >= sizes[found.largest]) found.largest = b;
    if (sizes[b] < sizes[found.smallest]) found.smallest = b;
  }
  return found;
}

}  // namespace

Blocks min_max_blocks(int items, int blocks, const BlockCost& cost) {
  const Rest rest = rest_of(items, blocks, cost);
  Blocks found{{}, rest[0][0]};
  if (found.most == infinity) return found;
  int begin = 0;
  for (int b = 0; b < blocks; ++b) {
    int end = begin + 1;
    while (rest[b + 1][end] > found.most || cost(b, begin, end) > found.most) ++end;
    found.ends.push_back(end);
    begin = end;
  }
  return found;
}

Blocks min_max_blocks(const std::vector<double>& costs, int blocks) {
  std::vector<double> sums(costs.size() + 1, 0);
  std::partial_sum(costs.begin(), costs.end(), sums.begin() + 1);
  return min_max_blocks(static_cast<int>(costs.size()), blocks,
                        [&](int, int begin, int end) { return sums[end] - sums[begin]; });
}

// Sizes are sums of (cost − least) / (most − least); multiplied by the latter they are whole.
std::vector<int> torchgpipe_blocks(const std::vector<std::int64_t>& costs, int blocks) {
  const auto [least, most] = std::minmax_element(costs.begin(), costs.end());
  const int items = static_cast<int>(costs.size());
  std::vector<int> ends;
  for (int b = 1; b < blocks; ++b) ends.push_back(items / blocks * b);
  ends.push_back(items);
  const auto sizes = [&] {
    std::vector<std::int64_t> all(blocks, 0);
    for (int b = 0; b < blocks; ++b) {
      for (int i = b == 0 ? 0 : ends[b - 1]; i < ends[b]; ++i) all[b] += costs[i] - *least;
    }
    return all;
  };
  for (;;) {
    const auto now = sizes();
    const auto [p, q] = extremes(now);
    if (now[p] <= now[q] + (*most - *least)) break;
    if (p < q)
      --ends[q - 1];
    else
      ++ends[q];
  }
  std::vector<int> lengths;
  for (int b = 0; b < blocks; ++b) lengths.push_back(ends[b] - (b == 0 ? 0 : ends[b - 1]));
  return lengths;
}

}  // namespace stint
